//! What was learnt in one run is known in the next.

use super::chat::{config, job, run};
use super::services::anthropic::{NEWER, start};
use super::services::{KEY, Service};
use std::path::Path;
use tree_of_traversals::llm::{Ability, Chat, ChatConfig, LanguageModel, Provider};

fn adapter(service: &Service, file: &Path) -> Chat {
    let config = config(Provider::Anthropic, NEWER, &service.url(), KEY);
    Chat::new(ChatConfig { learned: Some(file.to_owned()), ..config }).unwrap()
}

#[tokio::test]
async fn a_refusal_is_remembered_between_runs() {
    let (service, folder) = (start(), tempfile::tempdir().unwrap());
    let file = folder.path().join("cache/learned.json");
    assert_eq!(run(&adapter(&service, &file), job(1, "Act.")).await.tries(), 2);
    let again = adapter(&service, &file);
    assert_eq!(again.capabilities().unwrap().temperature, Ability::Refused);
    assert_eq!(run(&again, job(1, "Act.")).await.tries(), 1, "no request is lost on it again");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(KEY) && text.contains("no_temperature"), "{text}");
    std::fs::write(&file, "damaged").unwrap();
    assert_eq!(run(&adapter(&service, &file), job(1, "Act.")).await.tries(), 2);
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_costs_nothing_but_the_memory() {
    let (service, folder) = (start(), tempfile::tempdir().unwrap());
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(run(&adapter(&service, &file.join("below/learned.json")), job(1, "Act.")).await.tries(), 2);
}
