import { render } from 'preact';
import './style.css';
import { App } from './app';
import { readEmbedded } from './data';
import { command } from './metadata';
import { Model } from './model';
import { applyTheme, initialTheme } from './store';

applyTheme(initialTheme(), false);

async function start(): Promise<void> {
  const place = document.getElementById('app')!;
  try {
    const model = new Model(await readEmbedded('assay-data'));
    const name = model.profiles.map((p) => command(p.metadata.command ?? '') || p.name).join(' → ');
    document.title = `${name} · Assay`;
    place.replaceChildren();
    render(<App model={model} />, place);
    performance.mark('assay-ready');
  } catch (error) {
    place.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : error}`;
    throw error;
  }
}

void start();
