//! A folder of one case, and commands in it that cannot hang the campaign.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A command of the campaign that has not ended by then hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The two programs that the campaign runs.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) enes: PathBuf,
    /// This one, which is also the worker.
    pub(crate) own: PathBuf,
}

/// A folder of one case, removed at its end.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) programs: Programs,
}

/// How a command ended, and what it said.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// It was killed for its slowness.
    pub(crate) hung: bool,
    pub(crate) peak_kilobytes: u64,
}

impl Ended {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.and_then(|s| s.code())
    }

    pub(crate) fn words(&self) -> String {
        String::from_utf8_lossy(&self.stderr).to_string()
    }

    /// A panic, an abort or another death that nobody has ordered.
    pub(crate) fn panicked(&self) -> bool {
        !self.hung && (matches!(self.code(), None | Some(101)) || self.words().contains("panicked at"))
    }

    /// Control characters that reach the terminal, but for those of a text and its live line.
    pub(crate) fn raw_controls(&self) -> Option<char> {
        let bidi = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        let text =
            [&self.stdout, &self.stderr].map(|bytes| String::from_utf8_lossy(bytes).to_string()).concat();
        text.chars().find(|&c| bidi(c) || (c.is_control() && !matches!(c, '\n' | '\t' | '\r')))
    }
}

impl Place {
    pub(crate) fn new(programs: &Programs, name: &str) -> std::io::Result<Self> {
        let root = std::env::temp_dir().join(format!("enes-faults-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root)?;
        Ok(Self { root, programs: programs.clone() })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let _ = fs::write(self.path(name), bytes);
    }

    /// `enes` with these words, here.
    pub(crate) fn enes(&self, words: &[String]) -> Command {
        let mut command = Command::new(&self.programs.enes);
        command.args(words).current_dir(&self.root);
        command
    }

    /// Run it to its end.
    pub(crate) fn run(&self, words: &[String]) -> Ended {
        finish(&mut self.enes(words), PATIENCE)
    }

    /// Run it to its end, with a limit for its memory, so that what it asks for harms nobody.
    pub(crate) fn run_limited(&self, words: &[String], kilobytes: u64, patience: Duration) -> Ended {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")]);
        command.arg(&self.programs.enes).args(words).current_dir(&self.root);
        finish(&mut command, patience)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Words of a command line.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

/// Run a command to its end, but not for longer than this.
pub(crate) fn finish(command: &mut Command, patience: Duration) -> Ended {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return Ended::default() };
    let readers = (reader(child.stdout.take()), reader(child.stderr.take()));
    let start = Instant::now();
    let mut ended = Ended::default();
    while ended.status.is_none() {
        ended.peak_kilobytes = ended.peak_kilobytes.max(peak(child.id()));
        ended.status = child.try_wait().ok().flatten();
        if ended.status.is_none() && start.elapsed() > patience {
            ended.hung = true;
            let _ = child.kill();
            ended.status = child.wait().ok();
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    ended.stdout = readers.0.join().unwrap_or_default();
    ended.stderr = readers.1.join().unwrap_or_default();
    ended
}

fn reader(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// The most memory a process has had, where the system tells.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// Start it, say nothing.
pub(crate) fn start(command: &mut Command) -> Option<Child> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

/// Whether a process is there and not dead.
pub(crate) fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
}

#[cfg(unix)]
pub(crate) fn signal(pid: u32, number: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, number);
    }
}

#[cfg(unix)]
pub(crate) use rustix::process::Signal;

/// The lines of a file; none where it is not there.
pub(crate) fn lines(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect()
}
