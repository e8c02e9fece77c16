//! `enes report --watch`: the page, served on this machine while the runs go on.
//!
//! One address, one page, no state but the last page: a browser asks for it every two seconds and says which version it
//! has. A page is made again only when a file of a run has changed.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use crate::display::words;
use crate::error::CommandError;

/// The script that keeps a served page up to date.
const FOLLOW: &str = include_str!("follow.js");
/// What the page is made of.
const FILES: [&str; 6] = [
    "settings.json",
    "evaluations.jsonl",
    "generations.jsonl",
    "injected.jsonl",
    "covariance.json",
    "best.json",
];
/// A request is not longer than this.
const LONGEST: usize = 16 * 1024;
/// How long a connection may take to say what it wants, and to take its answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many connections are answered at the same time; more are closed.
const MOST: usize = 32;
/// How often the server looks for a connection, and for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// A page and what the files were like when it was made.
struct Made {
    tag: String,
    page: Arc<str>,
}

/// What a server works with.
struct Server {
    folders: Vec<PathBuf>,
    made: Mutex<Option<Made>>,
    connections: AtomicUsize,
}

/// Serve the page of these folders until a signal comes.
pub(super) fn serve(folders: &[PathBuf], port: u16) -> Result<(), CommandError> {
    // What is wrong with a folder is said at once, not to the browser.
    super::page(folders, FOLLOW)?;
    let fail = |e: std::io::Error| {
        CommandError::Usage(format!("cannot serve the page at port {port}: {e}; choose another with --port"))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(fail)?;
    listener.set_nonblocking(true).map_err(fail)?;
    let (stop, _) = crate::program::catch_signals()?;
    words(&format!(
        "the page is at http://{}/ and follows the run; Ctrl-C ends it",
        listener.local_addr().map_err(fail)?
    ));
    let server = Arc::new(Server {
        folders: folders.to_vec(),
        made: Mutex::new(None),
        connections: AtomicUsize::new(0),
    });
    while !stop.is_set() {
        match listener.accept() {
            Ok((stream, _)) => answer(&server, stream),
            // Too many open files, or a browser that has gone: the next one may be luckier.
            Err(_) => std::thread::sleep(LOOK),
        }
    }
    Ok(())
}

/// Answer a connection in a thread of its own: a browser opens some that say nothing for long.
fn answer(server: &Arc<Server>, stream: TcpStream) {
    if server.connections.fetch_add(1, Ordering::Relaxed) >= MOST {
        server.connections.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let server = Arc::clone(server);
    std::thread::spawn(move || {
        // A connection that breaks is the browser's business.
        let _ = server.reply(stream);
        server.connections.fetch_sub(1, Ordering::Relaxed);
    });
}

impl Server {
    fn reply(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = read_request(&mut stream)?;
        let (status, tag, body) = self.response(&request);
        let tag = tag.map_or_else(String::new, |tag| format!("ETag: {tag}\r\n"));
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n{tag}\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            body.len()
        )?;
        stream.write_all(body.as_bytes())?;
        stream.flush()
    }

    /// Status, version and page for a request.
    fn response(&self, request: &str) -> (&'static str, Option<String>, Arc<str>) {
        let mut lines = request.lines();
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
        let header = |name: &str| {
            let mut pairs = request.lines().skip(1).filter_map(|line| line.split_once(':'));
            pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
        };
        // A page of another site that has made its name point here learns nothing.
        let host = header("host").map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
        if !host.is_some_and(|host| ["127.0.0.1", "localhost"].contains(&host)) {
            return ("403 Forbidden", None, "only for 127.0.0.1 and localhost".into());
        }
        match (method, path) {
            ("GET", "/") => {}
            ("GET", _) => return ("404 Not Found", None, "the page is at /".into()),
            _ => return ("405 Method Not Allowed", None, "only GET".into()),
        }
        match self.page() {
            Ok((tag, _)) if header("if-none-match") == Some(&tag) => {
                ("304 Not Modified", Some(tag), "".into())
            }
            Ok((tag, page)) => ("200 OK", Some(tag), page),
            Err(error) => {
                let text = enes_chart::escape(&error.to_string());
                (
                    "500 Internal Server Error",
                    None,
                    format!("<!doctype html><main><p>{text}</p></main>").into(),
                )
            }
        }
    }

    /// The page as the files are now, and its version.
    fn page(&self) -> Result<(String, Arc<str>), CommandError> {
        // A thread that panicked has left the last page as it was.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let tag = self.tag();
        if let Some(made) = made.as_ref().filter(|made| made.tag == tag) {
            return Ok((tag, Arc::clone(&made.page)));
        }
        let page: Arc<str> = super::page(&self.folders, FOLLOW)?.into();
        *made = Some(Made { tag: tag.clone(), page: Arc::clone(&page) });
        Ok((tag, page))
    }

    /// Lengths and times of all files, in one word.
    fn tag(&self) -> String {
        let mut text = String::new();
        for path in self.folders.iter().flat_map(|folder| FILES.map(|name| folder.join(name))) {
            if let Ok(file) = path.metadata() {
                let time = file.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
                text.push_str(&format!("{} {:?},", file.len(), time));
            }
            text.push(';');
        }
        format!("\"{:016x}\"", crate::files::checksum(text.as_bytes()))
    }
}

/// The head of a request; what follows it is not read.
fn read_request(stream: &mut TcpStream) -> std::io::Result<String> {
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut part)?;
        if count == 0 || head.len() + count > LONGEST {
            return Err(ErrorKind::InvalidData.into());
        }
        head.extend_from_slice(&part[..count]);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}
