class A:
  x: "dict[str, int] | None" = f"{1!r:{2}}"
  def f(a, /, *b, c=lambda: (yield), **d): match a:
    case [1, *_]: return b
x = 1e999 ** 99; y = 10 ** 10 ** 10; z = "a" * 10**12; w = [0] * 10**12; v = range(10**18); u = list(v)
