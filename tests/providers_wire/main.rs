//! The adapters for OpenAI, Anthropic, Ollama and Bedrock against servers that behave as the documented services do, faults
//! included; and the providers' own Python clients against the same servers.

mod anthropic;
mod bedrock;
#[path = "../support/chat.rs"]
mod chat;
mod clients;
#[path = "../support/http.rs"]
mod http;
mod memory;
mod nothing_said;
mod ollama;
mod openai;
#[path = "../support/services/mod.rs"]
mod services;
