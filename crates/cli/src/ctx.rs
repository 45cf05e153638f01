//! What every verb needs: where the home is, and where to print.

use std::ffi::OsString;

use room_protocol::AuthorName;
use room_protocol::layout::Layout;

use crate::failure::Failure;
use crate::output::Out;

/// What a verb works with.
pub struct Ctx {
    /// Where everything lies.
    pub layout: Layout,
    /// Standard output.
    pub out: Out,
}

impl Ctx {
    /// From the environment.
    ///
    /// # Errors
    /// When nothing says where the home is.
    pub fn from_env(json: bool) -> Result<Self, Failure> {
        let uid = rustix::process::getuid().as_raw();
        let layout = Layout::from_env(|name| std::env::var_os(name), uid).ok_or_else(|| {
            Failure::Refused(
                "nothing says where to keep rooms: set ROOM_HOME to an absolute path, or HOME"
                    .to_owned(),
            )
        })?;
        Ok(Self {
            layout,
            out: Out::stdout(json),
        })
    }
}

/// The name that a person posts under: `ROOM_AS`, else `USER`, else `person`.
///
/// # Errors
/// When `ROOM_AS` is no name. A `USER` that is none is passed over.
pub fn person() -> Result<AuthorName, Failure> {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    let name = |value: OsString| value.to_string_lossy().parse::<AuthorName>();
    if let Some(value) = var("ROOM_AS") {
        return name(value).map_err(|e| Failure::Usage(format!("ROOM_AS: {e}")));
    }
    let fallback = || OsString::from("person");
    var("USER")
        .and_then(|v| name(v).ok())
        .map_or_else(|| name(fallback()), Ok)
        .map_err(|e| Failure::Refused(e.to_string()))
}
