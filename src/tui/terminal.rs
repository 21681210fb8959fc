//! The terminal, and that it is always given back: on return, error, panic, SIGTERM, SIGHUP, SIGINT and Ctrl-Z.
//!
//! Whoever holds a [`Screen`] owns the terminal. It is restored when the value is dropped, and by the panic hook before
//! the panic message is printed, so that every message is readable on the normal screen. Nothing here knows the explorer.

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Stdout, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// Whether the terminal is in our hands: what [`give_back`] looks at, also from the panic hook.
static TAKEN: AtomicBool = AtomicBool::new(false);
static PANIC_HOOK: Once = Once::new();

/// Why there is no screen. The caller ends with status 2 (usage) for the first, 1 for the other.
#[derive(Debug, Error)]
pub enum ScreenError {
    /// Input or output is no terminal.
    #[error("the explorer needs a terminal, but {0} is none; use `tot ask QUESTION` in scripts and pipes")]
    NotATerminal(&'static str),
    /// The terminal refused.
    #[error("the terminal can't be used: {0}; `tot ask QUESTION` works without one")]
    Io(#[from] io::Error),
}

/// The terminal in raw mode on its alternate screen.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste; the mouse stays with the terminal.
    ///
    /// # Errors
    /// When input or output is no terminal, or when the terminal refuses.
    pub fn open() -> Result<Self, ScreenError> {
        if !stdout().is_terminal() {
            return Err(ScreenError::NotATerminal("the output"));
        }
        if !io::stdin().is_terminal() && OpenOptions::new().read(true).write(true).open("/dev/tty").is_err() {
            return Err(ScreenError::NotATerminal("the input"));
        }
        PANIC_HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        let screen = Self { terminal: Terminal::new(CrosstermBackend::new(stdout()))?, mouse: false };
        take(false)?;
        Ok(screen)
    }

    /// Draws one frame inside a synchronized update, so that slow links show no half frames.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame)) -> io::Result<()> {
        execute!(stdout(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(render).map(|_| ());
        execute!(stdout(), EndSynchronizedUpdate)?;
        drawn
    }

    /// Forgets what the terminal is thought to show: the next frame is drawn in full.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn redraw(&mut self) -> io::Result<()> {
        // Not `clear`: it asks the terminal where the cursor is, and the answer goes to whoever reads the keys.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Whether mouse events are captured (selecting text with the mouse needs them off).
    #[must_use]
    pub const fn mouse(&self) -> bool {
        self.mouse
    }

    /// Captures mouse events, or leaves them to the terminal.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        if on { execute!(stdout(), EnableMouseCapture) } else { execute!(stdout(), DisableMouseCapture) }
    }

    /// Ctrl-Z: gives the terminal back, stops this process, and takes the terminal again when it is continued.
    ///
    /// # Errors
    /// When the terminal is gone or stopping is not allowed.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        self.resume()
    }

    /// Takes the terminal again after it was in other hands (SIGCONT).
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn resume(&mut self) -> io::Result<()> {
        take(self.mouse)?;
        self.redraw()
    }

    /// Puts `text` on the clipboard of the terminal (OSC 52), which also works over SSH. Whether the terminal honours it
    /// can't be known, so the caller says so and offers a file besides.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        use base64::Engine as _;
        let encoded = base64::engine::general_purpose::STANDARD.encode(text);
        let mut out = stdout();
        write!(out, "\x1b]52;c;{encoded}\x07")?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take(mouse: bool) -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    let taken = enable_raw_mode()
        .and_then(|()| execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste))
        .and_then(|()| if mouse { execute!(stdout(), EnableMouseCapture) } else { Ok(()) });
    if taken.is_err() {
        give_back();
    }
    taken
}

/// Gives the terminal back, once. Errors are ignored: there is nobody left to tell, and every step is tried.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = stdout();
        let _ = execute!(out, EndSynchronizedUpdate, DisableMouseCapture, DisableBracketedPaste);
        let _ = execute!(out, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// A signal that concerns the explorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM, SIGHUP or SIGINT: end in good order.
    End,
    /// SIGTSTP from outside: give the terminal back and stop.
    Stop,
    /// SIGCONT: the terminal was in other hands.
    Continued,
}

/// Reports signals to `tell` until it returns `false`. Must be called inside a tokio runtime.
///
/// # Errors
/// When the system allows no handler.
pub fn watch_signals(tell: impl Fn(Signal) -> bool + Send + 'static) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut term = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut stop = signal(SignalKind::from_raw(signal_hook::consts::SIGTSTP))?;
    let mut continued = signal(SignalKind::from_raw(signal_hook::consts::SIGCONT))?;
    tokio::spawn(async move {
        loop {
            let seen = tokio::select! {
                _ = term.recv() => Signal::End,
                _ = hangup.recv() => Signal::End,
                _ = interrupt.recv() => Signal::End,
                _ = stop.recv() => Signal::Stop,
                _ = continued.recv() => Signal::Continued,
            };
            if !tell(seen) {
                return;
            }
        }
    });
    Ok(())
}
