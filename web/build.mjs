// Builds ../src/report/assets/report.html and live.html: pages with style and script inside and a
// content security policy that admits exactly these two. The report may connect to nothing and has a
// mark where `assay report` puts the data; the live page may talk to where it came from. The output
// depends on the sources and the lock file only.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, '../src/report/assets');

async function page(entry, template, name, more) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: 'ascii',
    format: 'iife',
    target: ['chrome100', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    outdir: 'out',
    write: false,
  });
  const text = (suffix) => outputFiles.find((f) => f.path.endsWith(suffix)).text.trimEnd();
  // "</script" or "<!--" inside a script would end it or change how it is read.
  const script = text('.js').replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
  const style = text('.css');
  const hash = (content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data:',
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const replacements = { POLICY: policy, STYLE: style, SCRIPT: script };
  const made = readFileSync(join(here, template), 'utf8')
    .replace(/@(POLICY|STYLE|SCRIPT)@/g, (_, name) => replacements[name]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), made);
  console.log(`${join(folder, name)}: ${(made.length / 1024).toFixed(1)} KB`);
}

await page('src/main.tsx', 'src/page.html', 'report.html', []);
await page('src/live.tsx', 'src/live.html', 'live.html', ["connect-src 'self'"]);
