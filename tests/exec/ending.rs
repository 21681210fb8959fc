//! Programs that end, hang or do not want to end, and what is left of them.

use super::{museum, patient, python, search, within};
use std::path::Path;
use std::time::{Duration, Instant};
use tree_of_traversals::calls::{CallErrorKind, KgData};

/// Whether a process is there (a zombie is).
fn is_there(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).exists() || !Path::new("/proc").exists()
}

async fn pid_in(file: &Path) -> String {
    let begun = Instant::now();
    loop {
        if let Some(pid) = std::fs::read_to_string(file).ok().filter(|pid| pid.ends_with('\n')) {
            return pid.trim().to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the program did not start");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn wait_gone(pid: &str) {
    let begun = Instant::now();
    while is_there(pid) {
        assert!(begun.elapsed() < Duration::from_secs(60), "process {pid} is still there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn one_that_ends_at_once_is_told_with_its_status_and_last_words() {
    for (command, says) in [
        ("exit 3", &["status 3", "run the command by hand"][..]),
        ("no-such-program-here", &["status 127", "there is no such command", "no-such-program-here"]),
        ("echo broken >&2; printf 'second \\033[31mline' >&2; exit 1", &["status 1", "\"broken / second [31mline\""]),
        ("kill -9 $$", &["signal 9"]),
        ("true", &["the program `true` ended:"]),
        ("exec >&-; sleep 60", &["closed its standard output"]),
    ] {
        let kg = museum(command, &patient()).await;
        let error = search(&*kg, "x").await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Server, "{command}: {error}");
        for words in says {
            assert!(error.message.contains(words), "{command}: {error}");
        }
    }
}

#[tokio::test]
async fn it_is_started_again_a_few_times_and_then_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let kg = museum(&format!("echo start >> {}; exit 1", starts.display()), &patient()).await;
    for _ in 0..6 {
        search(&*kg, "x").await.unwrap_err();
    }
    let last = search(&*kg, "x").await.unwrap_err();
    assert!(last.message.contains("failed 4 times in a row") && last.message.contains("status 1"), "{last}");
    assert_eq!(std::fs::read_to_string(&starts).unwrap().lines().count(), 4);
}

#[tokio::test]
async fn one_that_ends_after_every_good_reply_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let body = "out(json.dumps({'id': id, 'ok': {'candidates': []}}) + '\\n')\nsys.exit(0)";
    let kg = python(folder.path(), "{}", body, &patient()).await;
    let mut good = 0;
    for _ in 0..20 {
        // A call may meet the program at its end; that one fails, the next one starts it again.
        good += usize::from(search(&*kg, "x").await.is_ok());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(good >= 8, "{good} of 20");
}

#[tokio::test]
async fn one_that_dies_under_a_call_fails_that_call() {
    let folder = tempfile::tempdir().unwrap();
    let body = "if ask['mention'] == 'die': os.kill(os.getpid(), signal.SIGSEGV)\n\
                out(json.dumps({'id': id, 'ok': {'candidates': []}}) + '\\n')";
    let kg = python(folder.path(), "{}", body, &patient()).await;
    assert!(search(&*kg, "x").await.is_ok());
    let error = search(&*kg, "die").await.unwrap_err();
    assert!(error.message.contains("signal 11"), "{error}");
    assert_eq!(search(&*kg, "x").await.unwrap().data, KgData::Candidates(Vec::new()));
}

#[tokio::test]
async fn one_that_hangs_is_given_up_ended_and_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let body = format!(
        "if not os.path.exists('{0}'):\n    with open('{0}', 'w') as f: print(os.getpid(), file=f)\n    time.sleep(1000)\n\
         out(json.dumps({{'id': id, 'ok': {{'candidates': []}}}}) + '\\n')",
        pid.display()
    );
    let kg = python(folder.path(), "{}", &body, &within(6.0)).await;
    let error = search(&*kg, "x").await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::TimedOut);
    assert!(error.message.contains("within 6 s"), "{error}");
    wait_gone(&pid_in(&pid).await).await;
    assert!(search(&*kg, "x").await.is_ok());
}

#[tokio::test]
async fn a_graph_that_is_dropped_leaves_no_process_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    // One that ends when asked, one that does not want to, and one with a child that holds on to everything.
    let polite = format!("echo $$ > {}; exec cat > /dev/null", file("polite").display());
    let stubborn = format!("echo $$ > {}; trap '' TERM HUP INT; while :; do sleep 1; done", file("stubborn").display());
    let parent = format!("sh -c 'echo $$ > {}; exec sleep 1000' & wait", file("parent").display());
    for (name, command) in [("polite", polite), ("stubborn", stubborn), ("parent", parent)] {
        let kg = museum(&command, &patient()).await;
        let call = tokio::spawn({
            let kg = kg.clone();
            async move { search(&*kg, "x").await.map(drop) }
        });
        let pid = pid_in(&file(name)).await;
        assert!(is_there(&pid), "{name}");
        call.abort();
        let _ = call.await;
        drop(kg);
        wait_gone(&pid).await;
    }
}

#[tokio::test]
async fn one_that_does_not_read_is_no_deadlock() {
    let kg = museum("sleep 1000", &within(1.0)).await;
    let mention = "x".repeat(1 << 20);
    assert_eq!(search(&*kg, &mention).await.unwrap_err().kind, CallErrorKind::TimedOut);
}

#[tokio::test]
async fn nothing_runs_before_the_first_call() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let kg = museum(&format!("touch {}; exit 1", mark.display()), &patient()).await;
    assert!(kg.about().contains("program `touch"), "{}", kg.about());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!mark.exists());
    let _ = search(&*kg, "x").await;
    assert!(mark.exists());
}
