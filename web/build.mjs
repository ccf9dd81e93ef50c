// Builds ../src/report/assets/report.html: one page with style and script inside, a content
// security policy that admits exactly these two and forbids any connection, and a mark where
// `assay report` puts the data. The output depends on the sources and the lock file only.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, '../src/report/assets/report.html');

const { outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.tsx'],
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
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const replacements = { POLICY: policy, STYLE: style, SCRIPT: script };
const page = readFileSync(join(here, 'src/page.html'), 'utf8')
  .replace(/@(POLICY|STYLE|SCRIPT)@/g, (_, name) => replacements[name]);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1024).toFixed(1)} KB`);
