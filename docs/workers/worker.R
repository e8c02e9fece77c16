# A worker for `enes minimize --worker -- Rscript worker.R`, without packages.
objective <- function(x) sum((x - 1)^2)

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  id <- sub('.*"id":([0-9]+).*', "\\1", line)
  x <- as.numeric(strsplit(sub('.*"x":\\[([^]]*)\\].*', "\\1", line), ",")[[1]])
  cat(sprintf('{"id":%s,"value":%.17g}\n', id, objective(x)))
  flush(stdout())
}
