//! The command line.

use super::options::SearchOptions;
use super::{Status, UsageError, ask, attach, diff, doctor, explore, export, kg, replay, review, sessions, show};
use crate::text::clean;
use clap::{Args, Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Explore Tree-of-Traversals: a language model answers questions by walking knowledge graphs.
#[derive(Parser, Debug)]
#[command(name = "tot", version, about, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
#[command(
    after_help = "Without a question the start page opens. Without --kg and --llm the built-in demo graph and the built-in\nlexical model are used (no neural network, no key, no network).\n\nExit status: 0 answered; 1 error (also: --from has no reply); 2 usage; 3 no answer, or a best effort below the threshold; 4 stopped, at a breakpoint or a budget used up; resumable"
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    explore: ExploreArgs,
}

/// `tot [QUESTION]`
#[derive(Args, Debug)]
pub struct ExploreArgs {
    /// The question; without it the start page opens
    pub question: Option<String>,
    /// What the search is made of
    #[command(flatten)]
    pub search: SearchOptions,
    /// How it looks
    #[command(flatten)]
    pub looks: Looks,
}

/// How the explorer looks.
#[derive(Args, Clone, Debug, Default)]
pub struct Looks {
    /// The theme: dark | light | terminal, or a theme file
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Start with the mouse on (m toggles it)
    #[arg(long)]
    pub mouse: bool,
    /// Talk in plain lines instead of drawing a screen: for screen readers, dumb terminals and pipes (help lists the commands)
    #[arg(long, conflicts_with_all = ["theme", "mouse"])]
    pub plain: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Answer a question without a screen: progress on stderr, the answer on stdout
    Ask(ask::AskArgs),
    /// The explorer, live, on a session that was left (starts paused)
    Resume(ResumeArgs),
    /// The explorer on a recorded session: no model, no graph
    Replay(ReplayArgs),
    /// The tree, values and answer of a session as text
    Show(show::ShowArgs),
    /// Follow a search that runs in another terminal, and pause, step and continue it
    Attach(attach::AttachArgs),
    /// Let the model judge each fact that an answer rests on, and list the doubtful ones
    Review(review::ReviewArgs),
    /// Two sessions side by side: the first difference, both trees, answers, evidence, cost
    Diff(diff::DiffArgs),
    /// What a session holds, for others: corrections of facts for the owners of a graph
    Export(export::ExportArgs),
    /// The sessions on disk: list, show, prune, pack
    Sessions(sessions::SessionsArgs),
    /// Ask knowledge graphs from the shell
    Kg(kg::KgArgs),
    /// Replies of graphs and models that are kept on disk
    Cache {
        /// Forget the replies of this graph or model, or of all
        #[arg(long, value_name = "NAME", num_args = 0..=1)]
        clear: Option<Option<String>>,
        /// One JSON array
        #[arg(long)]
        json: bool,
    },
    /// Check graphs, model, terminal and folders, and say what to do
    Doctor(doctor::DoctorArgs),
    /// How completions would be parsed
    Parse {
        /// One JSON object a line: id, state, options, completion
        file: PathBuf,
    },
}

/// `tot resume`
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// A session file, or its name in the sessions folder
    #[arg(id = "recorded", value_name = "SESSION")]
    pub session: String,
    /// What the search is made of
    #[command(flatten)]
    pub search: SearchOptions,
    /// How it looks
    #[command(flatten)]
    pub looks: Looks,
}

/// `tot replay`
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A session file, or its name in the sessions folder
    pub session: String,
    /// Decide everything again and name the first difference
    #[arg(long)]
    pub check: bool,
    /// How it looks
    #[command(flatten)]
    pub looks: Looks,
}

/// Runs the program.
#[must_use]
pub fn main() -> Status {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => return fail(&anyhow::anyhow!("no threads can be started: {e}")),
    };
    let result = match cli.command {
        None => explore::question(&runtime, &cli.explore),
        Some(Command::Ask(args)) => runtime.block_on(ask::run(args)),
        Some(Command::Resume(args)) => explore::resume(&runtime, &args),
        Some(Command::Replay(args)) if args.check => replay::check(&args.session),
        Some(Command::Replay(args)) => explore::replay(&runtime, &args),
        Some(Command::Show(args)) => show::run(&args),
        Some(Command::Attach(args)) => runtime.block_on(attach::run(args)),
        Some(Command::Review(args)) => runtime.block_on(interruptible(review::run(&args))),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Sessions(args)) => sessions::run(&args),
        Some(Command::Kg(args)) => runtime.block_on(interruptible(kg::run(args))),
        Some(Command::Cache { clear, json }) => kg::cache(clear.as_ref(), json),
        Some(Command::Doctor(args)) => runtime.block_on(interruptible(doctor::run(args))),
        Some(Command::Parse { file }) => super::parse::run(&file, &mut std::io::stdout().lock()).map(|()| Status::Ok),
    };
    // Calls in flight end with the program, and so do the programs behind graphs.
    crate::cache::write_all();
    crate::kg::exec::end_all(Duration::from_millis(500));
    runtime.shutdown_background();
    result.unwrap_or_else(|e| fail(&e))
}

/// Runs a command until it ends or a signal stops it: the programs behind graphs are ended then, too.
async fn interruptible(command: impl Future<Output = anyhow::Result<Status>>) -> anyhow::Result<Status> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        result = command => result,
        _ = interrupt.recv() => Ok(Status::Stopped),
        _ = terminate.recv() => Ok(Status::Stopped),
    }
}

/// Prints an error; a closed pipe is no error.
fn fail(error: &anyhow::Error) -> Status {
    let pipe = error.chain().filter_map(|e| e.downcast_ref::<std::io::Error>()).any(|e| e.kind() == std::io::ErrorKind::BrokenPipe);
    if pipe {
        return Status::Ok;
    }
    let text = format!("{error:#}");
    let _ = writeln!(std::io::stderr(), "tot: {}", clean(&text));
    if error.chain().any(|e| e.is::<UsageError>()) { Status::Usage } else { Status::Error }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_flags_of_every_command_fit_together() {
        Cli::command().debug_assert();
    }
}
