# SPDX-License-Identifier: Apache-2.0
# Groups, orders, and a file that is written and read.
library(data.table)
setDTthreads(as.integer(Sys.getenv("OMP_NUM_THREADS")))
rows <- 1e6
whole <- data.table(group = sample(5e4, rows, TRUE), value = runif(rows),
                    letter = sample(letters, rows, TRUE))
repeat {
  means <- whole[, .(mean = mean(value), count = .N), by = group]
  setkey(copy(whole), group, letter)
  sorted <- fsort(whole$value)
  path <- tempfile()
  fwrite(whole[1:200000], path)
  read <- fread(path)
  unlink(path)
}
