//! Where the socket of a session lies: a folder of the person's own (0700), a name that any terminal can compute.

use crate::session::sessions_folder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The longest path that every system takes for a socket (macOS: 104 bytes with the zero, Linux: 108).
const LONGEST_PATH: usize = 103;

/// The sockets that a session may have, the preferred one first: terminals of one person can differ in `$XDG_RUNTIME_DIR`.
pub(super) fn candidates(journal: &Path) -> Vec<PathBuf> {
    let Ok(journal) = journal.canonicalize() else { return Vec::new() };
    let name = format!("{:016x}.sock", xxh3_64(journal.as_os_str().as_encoded_bytes()));
    let fits = |path: &PathBuf| path.as_os_str().len() <= LONGEST_PATH;
    folders().into_iter().map(|folder| folder.join(&name)).filter(fits).collect()
}

fn folders() -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|p| p.is_absolute() && p.is_dir());
    let state = sessions_folder().and_then(|sessions| sessions.parent().map(|tot| tot.join("attach")));
    runtime.map(|folder| folder.join("tot")).into_iter().chain(state).collect()
}

/// The socket for a session, its folder made and closed to others.
///
/// # Errors
/// There is no folder for it, or the one that is there is another person's.
pub(super) fn socket_of(journal: &Path) -> io::Result<PathBuf> {
    let mut error = io::Error::other("no folder for it has a path that is short enough: set XDG_RUNTIME_DIR");
    for socket in candidates(journal) {
        match socket.parent().map(private) {
            Some(Ok(())) => return Ok(socket),
            Some(Err(e)) => error = e,
            None => {}
        }
    }
    Err(error)
}

/// Makes the folder, or closes it to others when it is there.
fn private(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let found = std::fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(format!("{} is not a folder of yours", folder.display())));
    }
    if found.permissions().mode() & 0o777 != 0o700 {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}
