//! The command line.

use crate::abi::{self, Abi, PROCESSORS};
use crate::call::Call;
use crate::declarations::Sources;
use crate::disasm::{Disasm, Syntax};
use crate::explain::Explain;
use crate::help::Topic;
use crate::prototypes::Prototypes;
use crate::style::Colours;
use crate::symbols::Symbols;
use farcall::abi::Processor;
use farcall::nearest::nearest;
use lexopt::{Arg, Parser};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Command {
    Help(Topic),
    Version,
    Call(Call),
    Explain(Explain),
    Disasm(Disasm),
    Symbols(Symbols),
}

/// A command line that is understood.
#[derive(Debug)]
pub(crate) struct CommandLine {
    pub(crate) command: Command,
    pub(crate) colours: Colours,
}

/// What is wrong with a command line.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) message: String,
    /// Whose help tells more.
    pub(crate) topic: Topic,
}

/// Every option, with the commands that know it.
const OPTIONS: [(&str, &[Topic]); 16] = [
    (
        "help",
        &[
            Topic::All,
            Topic::Call,
            Topic::Explain,
            Topic::Disasm,
            Topic::Symbols,
        ],
    ),
    ("version", &[Topic::All]),
    (
        "color",
        &[
            Topic::All,
            Topic::Call,
            Topic::Explain,
            Topic::Disasm,
            Topic::Symbols,
        ],
    ),
    (
        "colour",
        &[
            Topic::All,
            Topic::Call,
            Topic::Explain,
            Topic::Disasm,
            Topic::Symbols,
        ],
    ),
    ("decls", &[Topic::Call, Topic::Explain, Topic::Disasm]),
    ("cpp", &[Topic::Call, Topic::Explain, Topic::Disasm]),
    ("errno", &[Topic::Call, Topic::Disasm]),
    ("follow", &[Topic::Call]),
    ("abi", &[Topic::Explain, Topic::Disasm]),
    ("arch", &[Topic::Explain, Topic::Disasm]),
    ("places", &[Topic::Explain]),
    ("bytes", &[Topic::Disasm]),
    ("syntax", &[Topic::Disasm]),
    ("slots", &[Topic::Disasm]),
    ("callback", &[Topic::Disasm]),
    ("all", &[Topic::Symbols]),
];

/// The options of all commands, as far as they were given.
#[derive(Default)]
struct Given {
    colours: Colours,
    sources: Sources,
    shows_errno: bool,
    follows: bool,
    abi: Option<Abi>,
    processor: Option<Processor>,
    places: bool,
    bytes: bool,
    syntax: Option<Syntax>,
    slots: bool,
    callback: bool,
    all: bool,
    help: bool,
    version: bool,
}

/// Understands the words of the command line.
pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<CommandLine, Wrong> {
    let mut parser = Parser::from_iter(words);
    let mut given = Given::default();
    let command = loop {
        match next(&mut parser, Topic::All)? {
            Some(Arg::Value(word)) => break word,
            Some(option) => {
                let name = option_name(&option, Topic::All)?;
                given.take(&name, &mut parser, Topic::All)?;
            }
            None if given.help => return Ok(given.line(Command::Help(Topic::All))),
            None if given.version => return Ok(given.line(Command::Version)),
            None => return Err(wrong(Topic::All, "expected a command")),
        }
    };
    if given.help {
        return Ok(given.line(Command::Help(Topic::All)));
    }
    if command == "help" {
        return help(given, &mut parser);
    }
    let topic = topic(&command)?;
    let words = given.rest(&mut parser, topic)?;
    if given.help {
        return Ok(given.line(Command::Help(topic)));
    }
    let command = given.command(topic, words)?;
    Ok(given.line(command))
}

fn help(mut given: Given, parser: &mut Parser) -> Result<CommandLine, Wrong> {
    let words = given.rest(parser, Topic::All)?;
    let topic = match words.as_slice() {
        [] => Topic::All,
        [word] if word == "help" => Topic::All,
        [word] => topic(word)?,
        _ => return Err(wrong(Topic::All, "help: expected at most one command")),
    };
    Ok(given.line(Command::Help(topic)))
}

fn wrong(topic: Topic, message: impl Into<String>) -> Wrong {
    Wrong {
        message: message.into(),
        topic,
    }
}

fn next<'p>(parser: &'p mut Parser, topic: Topic) -> Result<Option<Arg<'p>>, Wrong> {
    parser
        .next()
        .map_err(|error| wrong(topic, error.to_string()))
}

fn topic(command: &OsStr) -> Result<Topic, Wrong> {
    let name = command.to_string_lossy();
    Topic::of(&name).ok_or_else(|| {
        let hint = suggestion(&name, Topic::NAMES.iter().copied(), "");
        wrong(Topic::All, format!("{name}: no such command{hint}"))
    })
}

/// "; did you mean x?", if something is like the word.
pub(crate) fn suggestion<'n>(
    word: &str,
    names: impl Iterator<Item = &'n str> + Clone,
    prefix: &str,
) -> String {
    let begins = |name: &&str| !word.is_empty() && name.starts_with(word);
    match names.clone().find(begins).or_else(|| nearest(word, names)) {
        Some(name) => format!("; did you mean {prefix}{name}?"),
        None => String::new(),
    }
}

fn option_name(option: &Arg<'_>, topic: Topic) -> Result<String, Wrong> {
    let (name, spelled) = match option {
        Arg::Short('h') => ("help", "-h".to_owned()),
        Arg::Short('V') => ("version", "-V".to_owned()),
        Arg::Short(letter) => ("", format!("-{letter}")),
        Arg::Long(name) => (*name, format!("--{name}")),
        Arg::Value(word) => ("", word.to_string_lossy().into_owned()),
    };
    let known = OPTIONS.iter().find(|(own, _)| *own == name);
    let prefix = match topic {
        Topic::All => String::new(),
        topic => format!("{}: ", topic.name()),
    };
    match known {
        Some((_, topics)) if topics.contains(&topic) => Ok(name.to_owned()),
        Some((_, topics)) if topic == Topic::All => Err(wrong(
            topic,
            format!(
                "{spelled} goes behind the command: farcall {} {spelled}",
                topics.first().map_or("call", |topic| topic.name())
            ),
        )),
        Some(_) => Err(wrong(
            topic,
            format!("{prefix}there is no option {spelled}"),
        )),
        None => {
            let own = OPTIONS.iter().filter(|(_, topics)| topics.contains(&topic));
            let hint = suggestion(name, own.map(|(own, _)| *own), "--");
            Err(wrong(
                topic,
                format!("{prefix}there is no option {spelled}{hint}"),
            ))
        }
    }
}

impl Given {
    fn line(self, command: Command) -> CommandLine {
        CommandLine {
            command,
            colours: self.colours,
        }
    }

    fn take(&mut self, name: &str, parser: &mut Parser, topic: Topic) -> Result<(), Wrong> {
        let mut value = |what: &str| -> Result<String, Wrong> {
            let value = parser
                .value()
                .map_err(|_| wrong(topic, format!("--{name} needs {what}")))?;
            value
                .into_string()
                .map_err(|value| wrong(topic, format!("--{name}: {value:?} is not UTF-8")))
        };
        match name {
            "help" => self.help = true,
            "version" => self.version = true,
            "color" | "colour" => {
                let when = value("auto, always or never")?;
                self.colours = match when.as_str() {
                    "auto" => Colours::Auto,
                    "always" => Colours::Always,
                    "never" => Colours::Never,
                    _ => {
                        return Err(wrong(
                            topic,
                            format!("--{name}: expected auto, always or never, got {when}"),
                        ));
                    }
                };
            }
            "decls" => {
                let file = value("a file, or - for the standard input")?;
                self.sources.files.push(file);
            }
            "cpp" => self.sources.preprocess = true,
            "errno" => self.shows_errno = true,
            "follow" => self.follows = true,
            "abi" => {
                let names = "sysv64, win64, aapcs64 or apple64";
                let abi = value(names)?;
                let hint = match Abi::known_elsewhere(&abi) {
                    Some(meant) => format!("; did you mean {meant}?"),
                    None => suggestion(&abi, Abi::NAMES.into_iter(), ""),
                };
                self.abi = Some(Abi::of(&abi).ok_or_else(|| {
                    wrong(topic, format!("--abi: expected {names}, got {abi}{hint}"))
                })?);
            }
            "arch" => {
                let [first, second] = PROCESSORS;
                let names = format!("{first} or {second}");
                let name = value(&names)?;
                let known = abi::processor(&name).map_err(|other| {
                    let hint = match other {
                        Some(other) => format!("; did you mean {other}?"),
                        None => suggestion(&name, PROCESSORS.into_iter(), ""),
                    };
                    wrong(topic, format!("--arch: expected {names}, got {name}{hint}"))
                })?;
                self.processor = Some(known);
            }
            "places" => self.places = true,
            "bytes" => self.bytes = true,
            "syntax" => {
                let syntax = value("intel or att")?;
                self.syntax = match syntax.as_str() {
                    "intel" => Some(Syntax::Intel),
                    "att" => Some(Syntax::Att),
                    _ => {
                        return Err(wrong(
                            topic,
                            format!("--syntax: expected intel or att, got {syntax}"),
                        ));
                    }
                };
            }
            "slots" => self.slots = true,
            "callback" => self.callback = true,
            _ => self.all = true,
        }
        Ok(())
    }

    /// The words behind the command that are no options. Those of a call that stand behind the
    /// library are none: arguments of the function may begin with a minus.
    fn rest(&mut self, parser: &mut Parser, topic: Topic) -> Result<Vec<OsString>, Wrong> {
        let mut words = Vec::new();
        loop {
            match next(parser, topic)? {
                None => return Ok(words),
                Some(Arg::Value(word)) => {
                    words.push(word);
                    if topic == Topic::Call {
                        let raw = parser.raw_args();
                        let raw = raw.map_err(|error| wrong(topic, error.to_string()))?;
                        words.extend(raw);
                        return Ok(words);
                    }
                }
                Some(option) => {
                    let name = option_name(&option, topic)?;
                    self.take(&name, parser, topic)?;
                }
            }
        }
    }

    fn command(&mut self, topic: Topic, words: Vec<OsString>) -> Result<Command, Wrong> {
        let text = |word: OsString, what: &str| {
            word.into_string().map_err(|word| {
                wrong(
                    topic,
                    format!("{}: {what} {word:?} is not UTF-8", topic.name()),
                )
            })
        };
        let mut words = words.into_iter();
        let sources = std::mem::take(&mut self.sources);
        match topic {
            Topic::Call => {
                let (Some(library), Some(prototype)) = (words.next(), words.next()) else {
                    return Err(wrong(topic, "call: expected a library and a prototype"));
                };
                Ok(Command::Call(Call {
                    library,
                    prototype: text(prototype, "the prototype")?,
                    arguments: words.map(OsStringExt::into_vec).collect(),
                    sources,
                    shows_errno: self.shows_errno,
                    follows: self.follows,
                }))
            }
            Topic::Symbols => {
                let (library, pattern, more) = (words.next(), words.next(), words.next());
                let (Some(library), None) = (library, more) else {
                    return Err(wrong(
                        topic,
                        "symbols: expected a library, and at most one pattern",
                    ));
                };
                Ok(Command::Symbols(Symbols {
                    library,
                    pattern: pattern.map(|word| text(word, "the pattern")).transpose()?,
                    all: self.all,
                }))
            }
            _ => {
                let name = topic.name();
                let Some(prototype) = words.next() else {
                    return Err(wrong(
                        topic,
                        format!("{name}: expected a prototype, in quotes"),
                    ));
                };
                let prototypes = Prototypes {
                    prototype: text(prototype, "the prototype")?,
                    extra: words
                        .map(|word| text(word, "the type"))
                        .collect::<Result<_, _>>()?,
                    sources,
                    target: abi::target(self.abi, self.processor)
                        .map_err(|message| wrong(topic, message))?,
                };
                Ok(match topic {
                    Topic::Explain => Command::Explain(Explain {
                        prototypes,
                        places: self.places,
                    }),
                    _ => Command::Disasm(Disasm {
                        prototypes,
                        syntax: self.syntax,
                        slots: self.slots,
                        callback: self.callback,
                        shows_errno: self.shows_errno,
                        bytes: self.bytes,
                    }),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Result<CommandLine, Wrong> {
        read(
            std::iter::once("farcall")
                .chain(words.iter().copied())
                .map(OsString::from),
        )
    }

    fn message(words: &[&str]) -> String {
        line(words).map_or_else(|wrong| wrong.message, |line| format!("{:?}", line.command))
    }

    #[test]
    fn options_stand_before_the_library() {
        let Ok(CommandLine {
            command: Command::Call(call),
            colours: Colours::Never,
        }) = line(&[
            "--color=never",
            "call",
            "--errno",
            "--decls",
            "a.h",
            "--decls=-",
            "m",
            "f",
            "-3",
            "--errno",
            "--",
        ])
        else {
            panic!("not a call");
        };
        assert!(call.shows_errno);
        assert_eq!(call.sources.files, ["a.h", "-"]);
        assert_eq!(call.library, "m");
        assert_eq!(call.arguments, [&b"-3"[..], b"--errno", b"--"]);
    }

    #[test]
    fn what_is_wrong() {
        for (words, expected) in [
            (&[][..], "expected a command"),
            (&["cal"], "cal: no such command; did you mean call?"),
            (&["dis"], "dis: no such command; did you mean disasm?"),
            (&["sing"], "sing: no such command"),
            (
                &["--versoin"],
                "there is no option --versoin; did you mean --version?",
            ),
            (&["-x"], "there is no option -x"),
            (
                &["--decls"],
                "--decls goes behind the command: farcall call --decls",
            ),
            (
                &["call", "--decl", "x"],
                "call: there is no option --decl; did you mean --decls?",
            ),
            (&["call", "--abi", "x"], "call: there is no option --abi"),
            (&["call"], "call: expected a library and a prototype"),
            (&["call", "m"], "call: expected a library and a prototype"),
            (
                &["call", "--decls"],
                "--decls needs a file, or - for the standard input",
            ),
            (&["explain"], "explain: expected a prototype, in quotes"),
            (&["disasm"], "disasm: expected a prototype, in quotes"),
            (
                &["explain", "--arch", "arm64", "f"],
                "--arch: expected x86_64 or aarch64, got arm64; did you mean aarch64?",
            ),
            (
                &["explain", "--arch", "mips", "f"],
                "--arch: expected x86_64 or aarch64, got mips",
            ),
            (
                &["disasm", "--arch", "aarch64", "--abi=win64", "f"],
                "win64 is a calling convention of x86_64: with --arch aarch64 it is aapcs64 or \
                 apple64",
            ),
            (
                &["disasm", "--abi", "apple64", "--arch=x86_64", "f"],
                "apple64 is a calling convention of aarch64: with --arch x86_64 it is sysv64 or \
                 win64",
            ),
            (
                &["explain", "--abi", "ms_abi", "f"],
                "--abi: expected sysv64, win64, aapcs64 or apple64, got ms_abi; did you mean win64?",
            ),
            (
                &["explain", "--abi", "win46", "f"],
                "--abi: expected sysv64, win64, aapcs64 or apple64, got win46; did you mean win64?",
            ),
            (
                &["disasm", "--syntax", "x", "f"],
                "--syntax: expected intel or att, got x",
            ),
            (
                &["--color", "x", "call"],
                "--color: expected auto, always or never, got x",
            ),
            (
                &["symbols"],
                "symbols: expected a library, and at most one pattern",
            ),
            (
                &["symbols", "a", "b", "c"],
                "symbols: expected a library, and at most one pattern",
            ),
            (&["help", "a", "b"], "help: expected at most one command"),
            (&["help", "cal"], "cal: no such command; did you mean call?"),
            (
                &["call", "--errno=1", "m", "f"],
                "unexpected argument for option '--errno': \"1\"",
            ),
        ] {
            assert_eq!(message(words), expected, "{words:?}");
        }
    }

    #[test]
    fn help_is_found_in_many_ways() {
        for (words, topic) in [
            (&["--help"][..], Topic::All),
            (&["-h"], Topic::All),
            (&["help"], Topic::All),
            (&["help", "call"], Topic::Call),
            (&["call", "--help"], Topic::Call),
            (&["call", "-h", "m"], Topic::Call),
            (&["symbols", "m", "--help"], Topic::Symbols),
            (&["help", "help"], Topic::All),
        ] {
            match line(words) {
                Ok(CommandLine {
                    command: Command::Help(found),
                    ..
                }) => assert_eq!(found, topic, "{words:?}"),
                other => panic!("{words:?}: {other:?}"),
            }
        }
    }
}
