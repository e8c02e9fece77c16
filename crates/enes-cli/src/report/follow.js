
// A served page asks for itself every two seconds, and takes over what is new where the reader is.
{
  let tag = "";
  const note = (text) => {
    const source = document.getElementById("source");
    if (source) source.textContent = text;
  };
  const opened = () => [...document.querySelectorAll("details")].map((d) => d.open);
  const follow = async () => {
    try {
      const answer = await fetch("/", { cache: "no-store", headers: { "If-None-Match": tag } });
      if (answer.status === 200) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const open = opened();
        document.title = page.title;
        document.querySelector("main").replaceWith(page.querySelector("main"));
        [...document.querySelectorAll("details")].forEach((d, i) => (d.open = open[i] ?? d.open));
        tag = answer.headers.get("ETag") ?? "";
        document.documentElement.dataset.updates = 1 + Number(document.documentElement.dataset.updates ?? 0);
        note(`Follows the run; last change at ${new Date().toLocaleTimeString()}.`);
      } else if (answer.status !== 304) {
        note(`The run cannot be read: ${new DOMParser().parseFromString(await answer.text(), "text/html").body.textContent}`);
      }
    } catch {
      note("enes report --watch has ended: this is the last state.");
    }
    setTimeout(follow, 2000);
  };
  note("Follows the run.");
  setTimeout(follow, 2000);
}
