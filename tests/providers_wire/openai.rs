//! `openai:MODEL` against the service that OpenAI's own client is tested with.

use super::chat::{config, job, run};
use super::services::openai::{MODEL, start};
use super::services::{KEY, Service};
use tree_of_traversals::llm::{Ability, Chat, ChatConfig, LanguageModel, Provider};

fn at(service: &Service) -> ChatConfig {
    config(Provider::OpenAi, MODEL, &service.url(), KEY)
}

#[tokio::test]
async fn samples_come_with_all_their_tokens_counted() {
    for stream in [true, false] {
        let service = start();
        let model = Chat::new(ChatConfig { stream, ..at(&service) }).unwrap();
        let got = run(&model, job(3, "Act.")).await;
        assert_eq!(got.texts(), ["ANSWER: Oslo"; 3]);
        assert_eq!((got.replies.len(), got.usage().completion_tokens, got.usage().estimated), (1, 9, false));
        let can = model.capabilities().unwrap();
        assert_eq!([can.samples, can.stop, can.seed, can.temperature, can.limit_taken], [Ability::Proven; 5]);
    }
}

#[tokio::test]
async fn log_probabilities_come_whole_in_pieces_and_with_texts_that_are_continued() {
    for (stream, completion) in [(true, false), (false, false), (true, true), (false, true)] {
        let service = start();
        let model = Chat::new(ChatConfig { log_probabilities: true, stream, ..at(&service) }).unwrap();
        let mut job = job(2, "Act.");
        job.request.completion = completion;
        let got = run(&model, job).await;
        assert_eq!(got.texts(), ["ANSWER: Oslo"; 2]);
        for (_, sample) in got.samples() {
            let tokens: Vec<(&str, i32)> = sample.tokens.iter().map(|token| (token.text.as_str(), token.log_milli)).collect();
            assert_eq!(tokens, [("ANSWE", -100), ("R: Os", -1200), ("lo", -100)], "{stream} {completion}");
        }
        assert_eq!(model.capabilities().unwrap().log_probabilities, Ability::Proven);
    }
}
