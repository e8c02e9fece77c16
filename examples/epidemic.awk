# How far a model of an influenza is from the boys in bed in an English boarding school of 763, 22 January to 4 February
# 1978 (British Medical Journal, 4 March 1978, page 587): awk -f epidemic.awk -v beta=... -v gamma=... -v delta=... -v first=...
# Susceptible, infectious, in bed. With -v list=1 it prints the boys in bed day by day; else the root mean square error.
BEGIN {
    days = split("3 8 26 76 225 298 258 233 189 128 68 29 14 4", bed, " ")
    all = 763; ill = first; well = all - ill - bed[1]; lying = bed[1]; steps = 200; h = 1 / steps
    for (day = 1; day <= days; day++) {
        if (list) print lying
        sum += (lying - bed[day]) ^ 2
        for (i = 0; i < steps; i++) {
            caught = beta * well * ill / all; fell = gamma * ill; rose = delta * lying
            well -= h * caught; ill += h * (caught - fell); lying += h * (fell - rose)
        }
    }
    if (!list) printf "%.10g\n", sqrt(sum / days)
}
