// Small JavaScript programs of different character; main(n) returns a string of all results.
function Scheduler() { this.queue = []; this.done = 0; }
Scheduler.prototype.add = function (task) { this.queue.push(task); };
Scheduler.prototype.run = function () {
  while (this.queue.length > 0) {
    var task = this.queue.shift();
    if (task.step(this)) this.queue.push(task); else this.done++;
  }
  return this.done;
};
function Counter(n) { this.n = n; }
Counter.prototype.step = function (s) { return --this.n > 0; };
function Spawner(n) { this.n = n; }
Spawner.prototype = Object.create(Counter.prototype);
Spawner.prototype.step = function (s) { s.add(new Counter(this.n % 7 + 1)); return --this.n > 0; };

function tasks() {
  var s = new Scheduler();
  for (var i = 1; i < 60; i++) s.add(i % 3 ? new Counter(i) : new Spawner(i));
  return s.run();
}
function sieve(limit) {
  var flags = [], count = 0;
  for (var i = 2; i < limit; i++) {
    if (flags[i]) continue;
    count++;
    for (var j = i * 2; j < limit; j += i) flags[j] = true;
  }
  return count;
}
function text() {
  var words = "the quick brown fox jumps over the lazy dog and runs".split(" "), map = {}, out = "";
  for (var i = 0; i < 800; i++) {
    var w = words[(i * 7 + (i >> 3)) % words.length] + (i % 13);
    map[w] = (map[w] || 0) + 1;
    out += w.replace(/[aeiou]/g, function (c) { return c.toUpperCase(); }) + ";";
  }
  var keys = Object.keys(map).sort(function (a, b) { return map[b] - map[a] || (a < b ? -1 : 1); });
  return keys.slice(0, 5).join() + out.length + (out.match(/[A-Z]\d/g) || []).length;
}
function json() {
  var tree = function (d) { return d == 0 ? { leaf: d } : { left: tree(d - 1), right: tree(d - 1), depth: d, s: "x" + d }; };
  var text = JSON.stringify(tree(7));
  var sum = 0, walk = function (n) { if (n.depth) { sum += n.depth; walk(n.left); walk(n.right); } };
  walk(JSON.parse(text));
  return text.length + ":" + sum;
}
function queens(n) {
  var count = 0;
  (function place(row, cols, d1, d2) {
    if (row == n) { count++; return; }
    for (var c = 0; c < n; c++) {
      var bit = 1 << c, a = 1 << (row + c), b = 1 << (row - c + n);
      if (cols & bit || d1 & a || d2 & b) continue;
      place(row + 1, cols | bit, d1 | a, d2 | b);
    }
  })(0, 0, 0, 0);
  return count;
}
function floats() {
  var x = 0, bodies = [];
  for (var i = 0; i < 5; i++) bodies.push({ x: i, y: i * i % 3, vx: 0, vy: 0, m: i + 1 });
  for (var s = 0; s < 150; s++) {
    bodies.forEach(function (a) {
      bodies.forEach(function (b) {
        if (a === b) return;
        var dx = b.x - a.x, dy = b.y - a.y, d = dx * dx + dy * dy + 0.5;
        a.vx += dx * b.m / d * 0.01; a.vy += dy * b.m / d * 0.01;
      });
    });
    bodies.forEach(function (a) { a.x += a.vx * 0.01; a.y += a.vy * 0.01; x += a.x * a.y; });
  }
  return Math.round(x * 1000);
}
function main(rounds) {
  var result = "";
  for (var r = 0; r < rounds; r++) {
    result = [tasks(), sieve(6000), text(), json(), queens(6), floats(), result.length % 97].join("|");
  }
  return result;
}
