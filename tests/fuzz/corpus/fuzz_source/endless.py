def deep(x): return deep(x + 1)
def net(x):
    i = 0
    while True:
        i += 1
        x = [x, x]
    return x
