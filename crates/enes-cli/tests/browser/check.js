// Looks at the page as a reader would and reports what it found to the page around it.
const say = (what) => problems.push(what);
const box = (element) => element.getBoundingClientRect();
const meet = (a, b, slack) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;

// Nothing is wider than the window: what is wide scrolls by itself.
const room = document.documentElement;
if (room.scrollWidth > room.clientWidth + 1) say(`the page is ${room.scrollWidth} wide, the window ${room.clientWidth}`);

// In a report nothing scrolls sideways either; the charts of a study, which are larger, do.
for (const part of document.querySelectorAll("#summary ~ section :is(figure, .scroll), #summary .scroll")) {
  if (part.scrollWidth > part.clientWidth + 1) say(`${part.className || "a figure"} is cut: ${part.scrollWidth} of ${part.clientWidth}`);
}

// Every figure is there, drawn, and large enough to read.
const charts = [...document.querySelectorAll("figure svg.chart")];
for (const chart of charts) {
  const name = chart.getAttribute("aria-label");
  const { width, height } = box(chart);
  if (width < 250 || height < 150) say(`${name}: only ${width} x ${height}`);
  // What is drawn lies in a frame of its own; the legend does not.
  const lines = [...chart.querySelectorAll("svg :is(path.line, path.faint, circle)")].filter((p) => p.getTotalLength() > 5);
  const drawn = [...lines, ...chart.querySelectorAll("svg :is(path.dots, path.large, rect)")];
  if (drawn.length < 1) say(`${name}: nothing is drawn`);
  const texts = [...chart.querySelectorAll("text")];
  const size = (13 * width) / chart.viewBox.baseVal.width;
  if (size < 9) say(`${name}: letters of ${size.toFixed(1)} pixels`);
  for (let i = 0; i < texts.length; i++) {
    for (let j = i + 1; j < texts.length; j++) {
      if (meet(box(texts[i]), box(texts[j]), 1))
        say(`${name}: "${texts[i].textContent}" overlaps "${texts[j].textContent}"`);
    }
  }
  for (const text of texts) {
    // What stands within a frame is cut by it, wherever the chart ends.
    const [frame, inner] = [text.ownerSVGElement, box(text)];
    const [scale, all] = [width / chart.viewBox.baseVal.width, box(chart)];
    const left = all.left + scale * frame.x.baseVal.value;
    const right = left + scale * frame.width.baseVal.value;
    const outer = frame === chart ? all : { left, right, bottom: all.bottom };
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1)
      say(`${name}: "${text.textContent}" is cut off`);
  }
}

// Blocks of the page do not lie on each other.
for (const parent of document.querySelectorAll("main, section, .figures, .claims")) {
  const blocks = [...parent.children].filter((b) => box(b).height > 0);
  for (let i = 1; i < blocks.length; i++) {
    for (let j = 0; j < i; j++) {
      if (meet(box(blocks[i]), box(blocks[j]), 1)) say(`two blocks of ${parent.id || parent.className} overlap`);
    }
  }
}

// Paragraphs are set in letters one can read.
for (const p of document.querySelectorAll("p")) {
  if (parseFloat(getComputedStyle(p).fontSize) < 14) say("a paragraph in small print");
}

// A click on any header sorts its column, a second click turns it round.
let sorted = 0;
for (const table of document.querySelectorAll("table")) {
  [...table.querySelectorAll("th button")].forEach((button, column) => {
    const values = () => [...table.tBodies[0].rows].map((row) => row.cells[column].textContent);
    const order = (a, b) => {
      const [x, y] = [parseFloat(a), parseFloat(b)];
      return isNaN(x) || isNaN(y) ? a.localeCompare(b) : x - y;
    };
    const rises = (list) => list.every((v, i) => i === 0 || order(list[i - 1], v) <= 0);
    const before = values().sort().join();
    button.click();
    if (!rises(values())) say(`${table.id}: column ${column} does not sort`);
    button.click();
    if (!rises(values().reverse())) say(`${table.id}: column ${column} does not turn round`);
    if (values().sort().join() !== before) say(`${table.id}: rows were lost`);
  });
  sorted++;
}

parent.postMessage(JSON.stringify({ problems, figures: charts.length, sorted, width: room.clientWidth }), "*");
