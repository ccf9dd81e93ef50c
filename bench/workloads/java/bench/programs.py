# Small Python 2 programs of different character; main(n) returns a string of all results.
class Shape(object):
    def __init__(self, name):
        self.name = name
    def area(self):
        return 0
    def describe(self):
        return '%s:%d' % (self.name, self.area())

class Square(Shape):
    def __init__(self, side):
        Shape.__init__(self, 'square')
        self.side = side
    def area(self):
        return self.side * self.side

class Ring(Shape):
    def __init__(self, inner, outer):
        Shape.__init__(self, 'ring')
        self.parts = (inner, outer)
    def area(self):
        inner, outer = self.parts
        return 3 * (outer * outer - inner * inner)

def shapes():
    every = [Square(i % 9) if i % 3 else Ring(i % 5, i % 5 + 2) for i in range(600)]
    return sum(len(s.describe()) for s in every), max(s.area() for s in every)

def words():
    text = 'it was the best of times it was the worst of times it was the age of wisdom ' * 12
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:4]

def primes(limit):
    flags = [True] * limit
    for i in range(2, limit):
        if flags[i]:
            for j in range(i * i, limit, i):
                flags[j] = False
    return sum(flags)

def walk(n):
    for i in range(n):
        yield i
        if i % 7 == 0:
            for j in walk(i // 7):
                yield -j

def matrix(n):
    a = [[(i * j) % 7 for j in range(n)] for i in range(n)]
    return sum(sum(x * y for x, y in zip(row, col)) for row in a for col in zip(*a))

def fails(n):
    caught = 0
    for i in range(n):
        try:
            {}[i] if i % 3 else int('x%d' % i)
        except (KeyError, ValueError):
            caught += 1
    return caught

def main(rounds):
    result = ''
    for r in range(rounds):
        result = repr((shapes(), words(), primes(4000), sum(walk(900)), matrix(18), fails(150), len(result)))
    return result
