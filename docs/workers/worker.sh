# A worker for `enes minimize --worker` in plain shell: sed takes the line apart, awk computes.
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  x=$(printf '%s' "$line" | sed 's/.*"x":\[\([^]]*\)\].*/\1/')
  value=$(printf '%s' "$x" | awk -F, '{ s = 0; for (i = 1; i <= NF; i++) s += ($i - 1) ^ 2; printf "%.17g", s }')
  printf '{"id":%s,"value":%s}\n' "$id" "$value"
done
