// A click on a header sorts its table: numbers as numbers, the rest as text. Tables that come later sort, too.
document.addEventListener("click", (event) => {
  const button = event.target.closest("th button");
  if (!button) return;
  const th = button.parentElement;
  const column = [...th.parentElement.children].indexOf(th);
  const body = th.closest("table").tBodies[0];
  const down = th.getAttribute("aria-sort") === "ascending";
  const value = (row) => row.cells[column].textContent;
  const compare = (a, b) => {
    const [x, y] = [parseFloat(value(a)), parseFloat(value(b))];
    if (!isNaN(x) && !isNaN(y)) return x - y;
    return value(a).localeCompare(value(b));
  };
  const rows = [...body.rows].sort(compare);
  if (down) rows.reverse();
  for (const other of th.parentElement.children) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  body.append(...rows);
});
