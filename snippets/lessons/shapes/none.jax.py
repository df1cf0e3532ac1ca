"""An integer input gets float0 zeros: x to the power n, in two dtypes."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def power(x, n):
    return x ** n.astype(x.dtype)


def power_fwd(x, n):
    return power(x, n), (x, n)


def power_bwd(residuals, upstream):
    x, n = residuals
    exponent = n.astype(x.dtype)
    local = exponent * x ** (exponent - 1)
    downstream = upstream * local
    jax.debug.print("  upstream = [{:g} {:g}]  local = [{:g} {:g}]"
                    "  downstream = [{:g} {:g}]",
                    *upstream, *local, *downstream)
    return downstream, None


power.defvjp(power_fwd, power_bwd)

n = jnp.int32(3)
for dtype in (jnp.float32, jnp.float64):
    x = jnp.array([1.0, 2.0], dtype)
    print(f"x is {x.dtype}, n is {n.dtype}")
    y, pullback = jax.vjp(power, x, n)
    dx, dn = pullback(jnp.array([1, 10], dtype))
    print("  gradient of x:", dx, dx.dtype)
    print("  gradient of n: float0", dn.dtype == jax.dtypes.float0)
