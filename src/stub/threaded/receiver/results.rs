//! The call of a handler, and how its result comes back.

use super::snippet::{AfterHandler, Sixteen, Snippet, Value};
use super::{Maker, value};
use crate::abi::{Extension, Place, Processor};
use crate::stub::chunks::chunks;
use crate::stub::upcall::{Location, ResultAddress, Return, Save, Saved, Upcall};

impl Maker {
    pub(super) fn call(
        &mut self,
        upcall: &Upcall,
        after: Option<AfterHandler>,
        returns: &[Return],
        keeps: bool,
    ) {
        if let Some(after) = after {
            self.add(
                match keeps {
                    true => Snippet::CallAndReturnMicrosoft(after),
                    false => Snippet::CallAndReturn(after),
                },
                &[],
            );
            return;
        }
        match upcall.result {
            ResultAddress::Frame(at) => self.add(Snippet::ResultInFrame, &[at.into()]),
            ResultAddress::Caller(register) => {
                let place = self.layout.place(register) as u64;
                self.add(Snippet::ResultAtPointer, &[place]);
            }
        }
        self.add(Snippet::Call, &[]);
        for one in returns {
            self.give_back(one);
        }
        if keeps {
            self.add(Snippet::RestoreMicrosoft, &[]);
        }
        self.add(Snippet::Return, &[]);
    }

    /// The call that gives the result back too, where there is one.
    pub(super) fn after(
        &self,
        upcall: &Upcall,
        saves: &[Save],
        returns: &[Return],
    ) -> Option<AfterHandler> {
        let result = match upcall.result {
            ResultAddress::Frame(at) => at,
            ResultAddress::Caller(register) => {
                let [Return::Load { from, to, .. }] = *returns else {
                    return returns.is_empty().then_some(AfterHandler::Memory);
                };
                let is_pointer =
                    |save: &Save| (save.from, save.to) == (Saved::Register(register), from);
                let is_first = to == Place::General(0);
                return (is_first && saves.iter().any(is_pointer)).then_some(AfterHandler::Memory);
            }
        };
        // What the handler finds in its result is in the frame then, if it is not where a larger one belongs.
        let room = match saves.iter().find(|save| save.to == result) {
            None => None,
            Some(save) => match save.from {
                Saved::Address(Location::Frame(room)) => Some(room),
                _ => return None,
            },
        };
        let result = room.unwrap_or(result);
        let load = |one: &Return| match *one {
            Return::Load {
                from,
                size,
                extension,
                to,
            } if from >= result && from + size <= result + self.layout.result_size => {
                Some((to, from - result, size, extension))
            }
            _ => None,
        };
        const FIRST: [Place; 2] = [Place::General(0), Place::Vector(0)];
        let second = match self.layout.processor {
            Processor::X86_64 => Place::General(2),
            Processor::Aarch64 => Place::General(1),
        };
        let sixteen = match *returns {
            [one] => match load(&one)? {
                (Place::Vector(0), 0, 16, _) => Some(Sixteen::Vector),
                _ => None,
            },
            [one, two] => match (load(&one)?, load(&two)?) {
                ((Place::General(0), 0, 8, _), (to, 8, 8, _)) if to == second => {
                    Some(Sixteen::TwoGeneral)
                }
                ((Place::Vector(0), 0, 8, _), (Place::Vector(1), 8, 8, _)) => {
                    Some(Sixteen::TwoVector)
                }
                ((one, 0, 8, _), (two, 8, 8, _)) if [one, two] == FIRST => {
                    Some(Sixteen::GeneralVector)
                }
                ((one, 0, 8, _), (two, 8, 8, _)) if [two, one] == FIRST => {
                    Some(Sixteen::VectorGeneral)
                }
                _ => None,
            },
            _ => None,
        };
        match (sixteen, returns) {
            (Some(how), _) if room.is_some() => Some(AfterHandler::Indirect(how)),
            (Some(how), _) => Some(AfterHandler::Sixteen(how)),
            (None, _) if room.is_some() => None,
            (None, []) => Some(AfterHandler::Return),
            (None, [one]) => match load(one)? {
                (Place::General(0), 0, size, extension) => {
                    Some(AfterHandler::General(result_value(size, extension)))
                }
                (Place::Vector(0), 0, size @ (4 | 8), _) => Some(AfterHandler::Vector(size)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn give_back(&mut self, one: &Return) {
        match *one {
            Return::Load {
                from,
                size,
                extension,
                to,
            } => {
                let from = u64::from(from);
                match to {
                    Place::General(register) => {
                        let number = u32::from(register != 0);
                        let snippet = Snippet::LoadGeneral(number, result_value(size, extension));
                        self.add(snippet, &[from]);
                    }
                    Place::Vector(register) => {
                        let size = match size {
                            1 | 2 | 4 | 8 | 16 | 32 => size,
                            _ => 8,
                        };
                        self.add(Snippet::LoadVector(register.into(), size), &[from]);
                    }
                    Place::X87(_) => self.add(Snippet::LoadX87, &[from]),
                    // No result is on the stack.
                    Place::Stack(_) => {}
                }
            }
            Return::Copy {
                from,
                size,
                pointer,
            } => {
                for (done, bytes) in chunks(0, size) {
                    let operands = [pointer, from + done, done].map(u64::from);
                    self.add(Snippet::CopyResult(bytes), &operands);
                }
            }
        }
    }
}

pub(super) fn loads_from(one: &Return, at: u32) -> bool {
    matches!(one, Return::Load { from, .. } if *from == at)
}

/// The same of a result: the frame has whole words.
fn result_value(size: u32, extension: Extension) -> Value {
    match size {
        1 | 2 | 4 => value(size, extension),
        _ => Value::Eight,
    }
}
