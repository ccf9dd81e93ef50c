"""The report page in headless Chromium: it renders, leads on, searches, zooms and compares; names are
only ever text; nothing is asked of the network; it fits a phone."""
import atexit
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import browser
from assay_test import BUILD, assay, run
from profile_file import ProfileFile

WORK = tempfile.TemporaryDirectory(prefix="assay-report-")
atexit.register(WORK.cleanup)
_made = {}


def profile(name, *options):
    path = pathlib.Path(WORK.name) / f"{name}.profile"
    if name not in _made:
        _made[name] = run(BUILD / "tests/make_profile", *options, path).stdout
    return path


def report(name, *arguments):
    path = pathlib.Path(WORK.name) / f"{name}.html"
    assay("report", *arguments, "-o", path)
    return path


@unittest.skipUnless(browser.available(), "no chromium and chromedriver here (tools/setup.sh test)")
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = browser.Browser()
        cls.one = report("one", profile("before"))
        cls.addClassCleanup(cls.page.close)

    def setUp(self):
        self.page.size(1280, 900)

    def tearDown(self):
        self.assertEqual(self.page.console(), [])

    def rows(self, table):
        return int(self.page.wait(f"return document.querySelector('[data-table=\"{table}\"]')?.dataset.rows"))

    def names(self, table):
        return ["".join(name.split("\n")[:2]) for name in self.page.texts(f'[data-table="{table}"] .name')]

    def goto(self, fragment, path=None):
        self.page.open(path or self.one, fragment)

    def test_summary_says_what_was_run_and_how_good_it_is(self):
        self.goto("")
        text = self.page.text("main")
        for part in ("java -Xmx2g -jar acme-shop.jar", "OpenJDK 64-Bit Server VM", "93.4 %", "± 1.1 points",
                     "burst interrupted by a safepoint", "412", "methods left as they are"):
            self.assertIn(part, text)
        self.assertIn("acme-shop.jar", self.page.js("return document.title"))

    def test_figures_agree_with_the_terminal(self):
        shown = json.loads(assay("show", profile("before"), "--by", "edges", "--json", "--top", "1").stdout)
        hottest = shown["edges"][0]
        self.goto("#/edges")
        first = self.page.texts('[data-table="Edges"] .body .row')[0]
        self.assertIn(hottest["callee"].split("(")[0].rsplit(".", 1)[1], first)
        title = self.page.js("return document.querySelector('[data-table=\"Edges\"] .body .cell.end span').title")
        self.assertAlmostEqual(float(title.replace(",", "")), hottest["weight"],
                               delta=hottest["weight"] * 1e-4)

    def test_tables_sort_filter_and_scroll(self):
        self.goto("#/edges")
        total = self.rows("Edges")
        self.assertGreaterEqual(total, 4000)
        self.assertLess(len(self.page.texts('[data-table="Edges"] .body .row')), 100)
        self.page.js("window.scrollTo(0, document.body.scrollHeight)")
        self.page.wait(f"return [...document.querySelectorAll('.body .row')]"
                       f".some(r => r.ariaRowIndex == {total + 1})")
        self.page.js("window.scrollTo(0, 0)")
        self.page.type(".filter input", "jetty Visitor")
        few = self.page.wait("const n = +document.querySelector('[data-table=Edges]').dataset.rows;"
                             f"return n > 0 && n < {total} && n")
        for row in self.page.texts('[data-table="Edges"] .body .row')[:20]:
            self.assertRegex(row, "Visitor")
        self.assertIn(f"{few:,} of", self.page.text(".filter .count"))
        self.page.click('[role=columnheader] button')
        self.page.wait("return document.querySelector('[aria-sort]').innerText.includes('callee')")
        names = self.page.texts('[data-table="Edges"] .body .row .edge .name:first-child')
        self.assertEqual(names, sorted(names, reverse=True))

    def test_click_through_both_ways(self):
        self.goto("#/edges")
        self.page.click('[data-table="Edges"] .body .row:nth-child(2) .edge .name:last-child')
        self.page.wait("return location.hash.startsWith('#/method/')")
        callee = self.page.text("h1")
        self.page.click('[data-table="Callers"] .body .name')
        self.page.wait("return document.querySelector('h1').innerText !== arguments[0]", callee)
        caller = self.page.text("h1")
        self.assertIn(callee.strip(), self.names("Callees"))
        self.page.js("history.back()")
        self.page.wait("return document.querySelector('h1').innerText === arguments[0]", callee)
        self.assertIn(caller.strip(), self.names("Callers"))
        self.page.click(".sankey a")
        self.page.wait("return document.querySelector('h1').innerText !== arguments[0]", callee)

    def test_search_with_the_keyboard_alone(self):
        self.goto("")
        self.page.keys("/")
        self.page.wait("return document.activeElement.getAttribute('role') === 'combobox'")
        self.page.keys(*"lookup")
        self.page.wait("return document.querySelectorAll('#found [role=option]').length > 2")
        self.page.keys("Down")
        wanted = self.page.text("#found [aria-selected=true] .mth")
        self.page.keys("Enter")
        self.page.wait("return location.hash.startsWith('#/method/')")
        self.assertIn(wanted, self.page.text("h1"))
        self.page.keys("2")
        self.page.wait("return location.hash === '#/edges'")

    def test_tables_walk_with_the_keyboard(self):
        self.goto("#/methods")
        self.page.js("document.querySelector('[data-table=Methods]').focus()")
        self.page.keys("Down", "Down", "j")
        self.page.wait("return document.querySelector('.row.active')?.ariaRowIndex === '4'")
        wanted = self.page.text(".row.active .mth")
        self.page.keys("Enter")
        self.page.wait("return location.hash.startsWith('#/method/')")
        self.assertIn(wanted, self.page.text("h1"))

    def test_call_sites_show_how_calls_divide(self):
        self.goto("#/sites")
        self.page.click(".choice button:nth-child(3)")
        self.page.wait("return document.querySelector('[data-table=\"Call sites\"] .dist .part')")
        targets = self.page.js("return [...document.querySelectorAll('[data-table=\"Call sites\"] .body .row')]"
                               ".map(r => +r.children[2].innerText)")
        self.assertTrue(all(n >= 3 for n in targets), targets)
        self.page.click('[data-table="Call sites"] .body .row .share')
        self.page.wait("return location.hash.startsWith('#/site/')")
        shares = [float(re.search(r"([\d.]+)\s*%\s*$", row)[1]) for row in
                  self.page.texts('[data-table="Callees of the site"] .body .row')]
        self.assertGreaterEqual(len(shares), 3)
        self.assertAlmostEqual(sum(shares), 100, delta=0.5)

    def test_flame_graph_zooms_searches_and_turns(self):
        self.goto("#/contexts")
        box = self.page.wait("const r = document.querySelector('.flame').getBoundingClientRect();"
                             "return r.width > 300 && [r.left, r.top, r.height]")
        self.page.pointer(box[0] + 60, box[1] + 30)
        tip = self.page.text(".tooltip")
        self.assertIn("with callees", tip)
        self.page.pointer(box[0] + 60, box[1] + 30, click=True)
        self.page.wait("return !document.querySelector('.filter > button').disabled")
        self.assertIn(tip.splitlines()[0], self.page.text("#flame-detail"))
        self.page.js("document.querySelector('.flame').focus()")
        self.page.keys("Down")
        self.page.wait("return document.querySelectorAll('.path li').length === 2")
        self.page.keys("Enter", "Escape", "Escape")
        self.page.wait("return document.querySelector('.filter > button').disabled")
        self.page.type(".filter input", "org.h2")
        matched = self.page.wait("const m = /([\\d.]+)\\s*% matched/.exec(document.querySelector('.count').innerText);"
                                 "return m && +m[1]")
        self.assertTrue(0 < matched < 100)
        before = self.pixels()
        self.page.click(".choice button:nth-child(2)")
        self.page.wait("return document.querySelector('.flame').ariaLabel.startsWith('Flame graph')")
        self.assertNotEqual(self.pixels(), before)

    def pixels(self):
        return self.page.js("return document.querySelector('canvas').toDataURL()")

    def test_a_profile_of_edges_says_why_it_has_no_flame_graph(self):
        self.goto("#/contexts", report("edges", profile("edges", "--nodes", "0")))
        text = self.page.text("main")
        self.assertIn("no flame graph", text)
        self.assertIn("--collect contexts", text)
        self.assertNotIn("Contexts 0", self.page.text("nav"))

    def test_timeline_draws_each_thread(self):
        self.goto("#/timeline")
        self.page.wait("return document.querySelectorAll('.plot canvas').length === 2")
        self.assertEqual(len(self.page.texts(".legend li")), 5)
        self.page.click('[data-table="Threads"] input')
        self.page.wait("return document.querySelectorAll('.legend li').length === 4")
        self.assertEqual(self.page.js("return document.querySelectorAll('.violins polygon').length"), 4)

    def test_tables_and_what_was_not_seen(self):
        self.goto("#/tables")
        self.assertEqual(self.rows("Table fields"), 80)
        self.page.type(".filter input", "write")
        self.page.wait("return +document.querySelector('[data-table=\"Table fields\"]').dataset.rows < 80")
        self.goto("#/missing")
        self.assertEqual(self.rows("Skipped methods 0"), 30)
        self.assertIn("code would exceed 65535 bytes", self.page.text("main"))

    def test_two_profiles_show_what_changed(self):
        both = report("both", profile("before"), profile("after", "--after"))
        self.goto("", both)
        text = self.page.text("main")
        self.assertIn("OVERLAP, CALL SITES", text.upper())
        overlap = assay("compare", profile("before"), profile("after", "--after"), "--json").stdout
        expected = json.loads(overlap)["overlap"]["call_sites"]
        shown = float(re.search(r"Overlap, call sites\s+([\d.]+)", text)[1])
        self.assertAlmostEqual(shown, expected, delta=0.06)
        self.goto("#/edges", both)
        first = self.page.texts('[data-table="Edges"] .body .row')[0]
        self.assertRegex(first, r"[+−]\d")
        self.assertTrue(self.page.js("return document.querySelector('.fill.grew') && document.querySelector('.fill.shrank') !== null"))
        self.page.click(".choice button:nth-child(2)")
        self.page.wait("return document.querySelector('.choice [aria-pressed=true]').innerText === 'Calls'")
        for fragment in ("#/sites", "#/methods", "#/contexts", "#/method/5", "#/tables", "#/timeline", "#/missing"):
            self.page.js("location.hash = arguments[0]", fragment)
            self.page.wait("return document.querySelector('main h1')")

    def test_bytecodes_are_ranked_by_method_and_compared(self):
        paths = []
        for name, hot in (("slow", 700), ("slower", 900)):
            file = ProfileFile(collect="bytecodes", granularity="10k")
            file.self_unit = "bytecodes"
            main = file.node(0, "Work.main([Ljava/lang/String;)V", self_value=100)
            file.node(main, "Work.hot(I)I", bci=3, self_value=hot)
            file.node(main, "Work.cold(I)I", bci=9, self_value=200)
            paths.append(file.write(pathlib.Path(WORK.name) / f"{name}.profile"))
        one, two = report("work", paths[0]), report("work-two", *paths)
        self.goto("", one)
        self.assertEqual(self.names("Top methods"), ["Work.hot", "Work.cold", "Work.main"])
        text = self.page.text("main")
        self.assertIn("1,000", text)
        self.assertIn("70.0 %", text.replace("\u202f", " "))
        self.assertNotIn("Calls", text)
        self.goto("#/methods", one)
        self.assertEqual(self.names("Methods"), ["Work.hot", "Work.cold", "Work.main"])
        self.goto("", two)
        self.assertEqual(self.names("Top methods")[0], "Work.hot")
        self.assertIn("+20.0 %", self.page.text("main").replace("\u202f", " "))
        self.goto("#/contexts", one)
        self.page.open(two, "#/method/1")
        self.page.wait("return document.querySelector('main h1')")

    def test_calls_that_samples_cannot_meet_are_not_seen(self):
        def page(name, **metadata):
            file = ProfileFile(collect="calls", **metadata)
            file.edge("Work.main([Ljava/lang/String;)V", 3, "Work.hot(I)I", 2, samples=2)
            return report(name, file.write(pathlib.Path(WORK.name) / f"{name}.profile"))
        sampled = {"inlined-call-sites": "1234", "interpreted-time": "12.5 % of 340 looks"}
        for fragment in ("", "#/missing"):
            self.goto(fragment, page("unmet", via="return", **sampled))
            text = self.page.text("main")
            for part in ("of 1,234 call sites", "interpreted code", "12.5 % of 340 looks at threads in Java"):
                self.assertIn(part, text)
            self.assertNotIn("No event was lost and", text)
            # Probes are in interpreted and inlined code too.
            self.goto(fragment, page("probed", via="probe", **sampled))
            self.assertNotIn("inlined calls", self.page.text("main"))
        self.goto("", page("uncounted", via="return", **{"inlined-call-sites": "not counted: the program ran too short"}))
        self.assertIn("not counted: the program ran too short", self.page.text("main"))

    def test_time_by_context_is_ranked_by_time(self):
        file = ProfileFile(collect="contexts", clock="cpu")
        file.self_unit = "ns"
        main = file.node(0, "Work.main([Ljava/lang/String;)V", calls=1, self_value=5e8, samples=50)
        file.node(main, "Work.hot(I)I", bci=3, calls=2, self_value=1.5e9, samples=150)
        file.node(main, "Work.often(I)I", bci=9, calls=500, self_value=1e8, samples=10)
        file.edge("Work.main([Ljava/lang/String;)V", 3, "Work.hot(I)I", 2, samples=2)
        file.edge("Work.main([Ljava/lang/String;)V", 9, "Work.often(I)I", 500, samples=500)
        path = report("time", file.write(pathlib.Path(WORK.name) / "time.profile"))
        self.goto("", path)
        self.assertEqual(self.names("Top methods"), ["Work.hot", "Work.main", "Work.often"])
        text = self.page.text("main").replace("\u202f", " ")
        self.assertIn("2.10 s", text)
        self.assertIn("Activations seen", text)
        self.goto("#/edges", path)
        self.assertEqual(self.names("Edges")[1], "Work.often")
        self.assertIn("Activations", self.page.text('[data-table="Edges"]'))

    def test_source_lines_come_along(self):
        folder = pathlib.Path(WORK.name) / "src"
        shown = assay("show", profile("before"), "--by", "edges", "--json", "--top", "30").stdout
        for edge in json.loads(shown)["edges"]:
            name = edge["caller"].split("(")[0].rsplit(".", 1)[0]
            if name.startswith("<"):
                continue
            path = folder / (name.replace(".", "/").split("$")[0] + ".java")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"code of line {i} < &amp; </script>\n" for i in range(1, 700)))
        page = report("sources", profile("before"), "--sources", folder)
        self.goto("#/edges", page)
        self.page.click('[data-table="Edges"] .body .row:nth-child(3) .place')
        line = int(re.search(r":(\d+)", self.page.text(".title .place"))[1])
        here = self.page.text(".source .here")
        self.assertIn(f"code of line {line} < &amp; </script>", here)

    def test_hostile_names_stay_inert(self):
        page = report("hostile", profile("hostile", "--hostile", "--edges", "800", "--nodes", "800"))
        self.assertNotIn(b"window.hostile", page.read_bytes())
        for fragment in ("", "#/edges", "#/methods", "#/sites", "#/contexts", "#/timeline", "#/tables",
                         "#/missing", "#/method/1", "#/method/4", "#/method/%3Cscript%3E", "#/site/1/3"):
            self.goto(fragment, page)
            self.assertIsNone(self.page.js("return window.hostile ?? null"))
            self.assertEqual(self.page.js("return document.querySelectorAll('main script, main img').length"), 0)
        self.goto("", page)
        text = self.page.text("main")
        for part in ("constructor", "hostile key", "hostile prototype", "Collector toString"):
            self.assertIn(part, text)
        self.goto("#/methods", page)
        self.assertIn("<script>window.hostile=1</script>", self.page.text("main"))
        self.page.type("[role=combobox]", "script hostile")
        self.page.wait("return document.querySelectorAll('#found [role=option]').length > 2")
        self.assertIsNone(self.page.js("return window.hostile ?? null"))

    def test_asks_nothing_of_the_network(self):
        self.goto("")
        self.assertEqual(self.page.js("return performance.getEntriesByType('resource').length"), 0)
        outcome = self.page.js("try { return fetch('http://127.0.0.1:9/').then(() => 'went out', () => 'refused') }"
                               "catch (e) { return 'refused' }")
        self.assertEqual(outcome, "refused")
        messages = self.page.console()
        self.assertTrue(any("Content Security Policy" in m["message"] for m in messages), messages)

    def test_fits_a_phone(self):
        for path in (self.one, report("both", profile("before"), profile("after", "--after"))):
            self.page.size(390, 844, mobile=True)
            for fragment in ("", "#/edges", "#/methods", "#/sites", "#/contexts", "#/timeline", "#/tables",
                             "#/missing", "#/method/5", "#/site/5/3"):
                self.goto(fragment, path)
                self.assertLessEqual(self.page.js("return document.documentElement.scrollWidth"), 390, fragment)

    def test_light_and_dark(self):
        self.goto("")
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.page.js(background)
        self.page.click("header .icon")
        self.page.wait(background + " !== arguments[0]", light)
        self.page.js("localStorage.clear()")
        with browser.Browser(dark=True) as dark:
            dark.open(self.one)
            self.assertNotEqual(dark.js(background), light)

    def test_contrast_is_readable(self):
        """WCAG AA (4.5 : 1) for text in both themes, for every colour that text has on the pages."""
        for theme in ("light", "dark"):
            for fragment in ("", "#/edges", "#/sites", "#/method/5", "#/contexts", "#/timeline"):
                self.goto(fragment)
                self.page.js("document.documentElement.dataset.theme = arguments[0]", theme)
                low = self.page.js(CONTRAST)
                self.assertEqual(low, [], f"{theme} {fragment}")

    def test_every_control_has_a_name(self):
        for fragment in ("", "#/edges", "#/contexts", "#/timeline", "#/method/5"):
            self.goto(fragment)
            self.assertEqual(self.page.js(
                "return [...document.querySelectorAll('button, input, a[href], [tabindex=\"0\"]')].filter(e =>"
                " !(e.ariaLabel || e.innerText?.trim() || e.textContent?.trim() || e.closest('label')?.innerText))"
                ".map(e => e.outerHTML)"), [])


CONTRAST = """
const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
const rgba = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);
                    return [...canvas.getImageData(0, 0, 1, 1).data]; };
const luminance = ([r, g, b]) => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
                                   return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const low = new Set();
for (const e of document.querySelectorAll('body *')) {
  if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
  if (e.closest('svg, :disabled, noscript, script, .skip')) continue;
  let ground = e;
  while (ground && rgba(getComputedStyle(ground).backgroundColor)[3] < 250) ground = ground.parentElement;
  const back = rgba(getComputedStyle(ground ?? document.body).backgroundColor);
  let alpha = 1;
  for (let p = e; p; p = p.parentElement) alpha *= getComputedStyle(p).opacity;
  const ink = rgba(getComputedStyle(e).color).map((v, i) => v * alpha + back[i] * (1 - alpha));
  const [a, b] = [luminance(ink), luminance(back)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) low.add(e.className + ' ' + e.textContent.slice(0, 30) + ' ' + ratio.toFixed(2));
}
return [...low];
"""


class CommandTest(unittest.TestCase):
    def test_more_than_two_profiles_point_to_merge(self):
        path = profile("before")
        result = assay("report", path, path, path, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("assay merge", result.stderr)

    def test_a_source_folder_that_is_none(self):
        result = assay("report", profile("before"), "--sources", "/nowhere", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere is not a folder", result.stderr)

    def test_damaged_profile_and_output_that_cannot_be(self):
        damaged = pathlib.Path(WORK.name) / "damaged.profile"
        damaged.write_bytes(profile("before").read_bytes()[:300])
        self.assertEqual(assay("report", damaged, "-o", "/dev/null", check=False).returncode, 2)
        result = assay("report", profile("before"), "-o", "/nowhere/x.html", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere/x.html", result.stderr)

    def test_to_standard_output(self):
        page = subprocess.run([BUILD / "assay", "report", profile("before"), "-o", "-"], check=True,
                              capture_output=True).stdout
        self.assertTrue(page.startswith(b"<!doctype html>") and page.rstrip().endswith(b"</html>"))
