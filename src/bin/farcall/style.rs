//! Colours, for terminals.

use std::io::IsTerminal;

/// When there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Colours {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// Colours of one stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    is_coloured: bool,
}

impl Style {
    /// For the standard output.
    pub(crate) fn of_output(colours: Colours) -> Style {
        Style::of(colours, &std::io::stdout())
    }

    /// For the standard error.
    pub(crate) fn of_errors(colours: Colours) -> Style {
        Style::of(colours, &std::io::stderr())
    }

    fn of(colours: Colours, stream: &impl IsTerminal) -> Style {
        let is_coloured = match colours {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Auto => {
                let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                stream.is_terminal() && !is_set("NO_COLOR") && !is_dumb
            }
        };
        Style { is_coloured }
    }

    fn paint(self, code: &str, text: &str) -> String {
        match self.is_coloured && !text.is_empty() {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    pub(crate) fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// A name beside a value.
    pub(crate) fn label(self, text: &str) -> String {
        self.paint("36", text)
    }

    /// What matters less.
    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }
}
