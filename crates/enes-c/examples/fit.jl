# Fit amplitude * exp(-rate * t) + floor to measured values, from Julia, without packages.
#
# cargo build --release -p enes-c
# julia crates/enes-c/examples/fit.jl target/release/libenes_c.so

import Libdl

const enes = Libdl.dlopen(isempty(ARGS) ? "libenes_c" : abspath(ARGS[1]))
enes_symbol(name) = Libdl.dlsym(enes, name)

"Minimize `f`, ask and tell; `settings` is text in TOML."
function minimize(f, x0::Vector{Float64}, sigma0::Real; settings = "")
    d = length(x0)
    es = ccall(enes_symbol(:enes_new), Ptr{Cvoid}, (Csize_t, Ptr{Cdouble}, Cdouble, Cstring), d, x0, sigma0, settings)
    es == C_NULL && error(unsafe_string(ccall(enes_symbol(:enes_last_error), Cstring, ())))
    try
        while !ccall(enes_symbol(:enes_stopped), Bool, (Ptr{Cvoid},), es)
            count = Ref{Csize_t}(0)
            at = ccall(enes_symbol(:enes_ask), Ptr{Cdouble}, (Ptr{Cvoid}, Ref{Csize_t}), es, count)
            points = unsafe_wrap(Array, at, (d, Int(count[]))) # a column is a point
            values = Float64[f(points[:, i]) for i in 1:count[]]
            ccall(enes_symbol(:enes_tell), Bool, (Ptr{Cvoid}, Ptr{Cdouble}, Csize_t), es, values, count[]) ||
                error(unsafe_string(ccall(enes_symbol(:enes_last_error), Cstring, ())))
        end
        best = zeros(d)
        value = ccall(enes_symbol(:enes_best), Cdouble, (Ptr{Cvoid}, Ptr{Cdouble}), es, best)
        evaluations = ccall(enes_symbol(:enes_evaluations), UInt64, (Ptr{Cvoid},), es)
        return best, value, Int(evaluations)
    finally
        ccall(enes_symbol(:enes_free), Cvoid, (Ptr{Cvoid},), es)
    end
end

times = [0, 1, 2, 4, 8, 16]
measured = [5.02, 3.91, 3.09, 2.02, 1.18, 0.79]
misfit(x) = sum((x[1] .* exp.(-x[2] .* times) .+ x[3] .- measured) .^ 2)

# The rate is positive: it is searched by its logarithm.
best, value, evaluations = minimize(misfit, [1.0, 0.1, 0.0], 1.0; settings = "log_scale = [false, true, false]\nseed = 1")
println(evaluations, " evaluations")
println("misfit ", round(value; digits = 6), ": amplitude ", round(best[1]; digits = 4), ", rate ",
    round(best[2]; digits = 4), ", floor ", round(best[3]; digits = 4))
