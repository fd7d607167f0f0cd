//! The policy.

use super::libraries::path;
use super::status::{fc_status, guard};
use crate::library::policy;
use std::ffi::c_char;

/// Allows a file, or a folder and all below it, to be opened by fc_library_open. The first call puts the
/// policy in force, for the whole process: from then on only what was allowed may be opened, and no
/// bytes (fc_library_open_bytes). A call that fails does so too, unless `path` is NULL: whoever
/// overlooks the failure has a policy that allows nothing, and not none.
///
/// Links and ".." are resolved when something is allowed and when it is opened, and exactly the file
/// that a name is resolved to is opened. Nobody but root and the user that the process runs as (its
/// effective user) may own or write the file, its folder, or a folder above: what others can write is
/// refused, here and when it is opened. Above the allowed file or folder a sticky folder such as /tmp
/// will do. Group members are others.
///
/// A bare name is looked for before it is asked about. A library that is loaded already is asked about
/// like any other. The program itself (NULL), and what the system's loader brings in for an allowed
/// library, are not asked about; neither are libraries that were opened before.
///
/// The policy decides which files fc_library_open opens, and nothing else: it is no sandbox. The symbols
/// of a library include those of the libraries that it needs, and the program has those of libc. Code
/// that can bind any function of theirs (dlopen, mmap, execve) is not held by it. A host that runs
/// declarations or names that it does not trust must also choose which symbols it binds.
///
/// @param path the file or folder, which must exist. It is copied. Allowing it again does nothing.
///
/// Any thread may call this. What is opened at the same time may still be opened without being asked
/// about.
///
/// @return FC_OK;
///         FC_ERR_ARGUMENT for NULL, an empty path, or what is neither file nor folder;
///         FC_ERR_NOT_FOUND if there is no such file or folder;
///         FC_ERR_DENIED if others can write it, or after fc_policy_seal: the message says what is in
///         the way and how to mend it;
///         FC_ERR_SYSTEM if the path cannot be resolved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_policy_allow(path: *const c_char) -> fc_status {
    guard(|| {
        // SAFETY: the pointer is as the documentation asks.
        let path = unsafe { self::path(path, "fc_policy_allow: path")? };
        policy::allow(path)
    })
}

/// Seals the policy for as long as the process runs: every later fc_policy_allow is FC_ERR_DENIED. If
/// nothing was allowed, nothing may be opened any more but the program itself (NULL). Sealing again does
/// nothing. A child of fork has the policy of its parent.
///
/// Any thread may call this.
///
/// @return FC_OK.
#[unsafe(no_mangle)]
pub extern "C" fn fc_policy_seal() -> fc_status {
    guard(|| {
        policy::seal();
        Ok(())
    })
}
