// The data as src/report/data.h writes it, and how they come out of the page.

export interface EdgeValues { samples: number[]; weight: number[]; error: number[] }
export interface NodeValues {
  self: number[]; calls: number[]; samples: number[];
  totalSelf?: number[]; totalCalls?: number[];
}
export interface TableData {
  name: string; weightTotal: number; cutRows: number; columns: string[];
  keys: number[][]; samples: number[]; weight: number[];
}
export interface TickData {
  count: number; thread: number[]; timeUs: number[]; latency: number[]; maxLatency?: number[];
  intervalUs: number[]; density: number[]; samples: number[];
}
export interface ProfileData {
  name: string;
  metadata: Record<string, string>;
  selfUnit: string;
  totals: {
    edges: number; methods: number; nodes: number; weight: number; samples: number;
    nodeSamples: number; cutEdges: number; cutWeight: number; cutNodes: number; cutSources: number;
  };
  lost: Record<string, number>;
  skipped: { method: number[]; reason: number[] };
  threads: string[];
  ticks: TickData;
  tables: TableData[];
}
export interface ReportData {
  version: number;
  strings: string[];
  methods: {
    class: number[]; name: number[]; descriptor: number[]; file: number[]; code: number[];
    line: number[]; source?: number[];
  };
  edges: {
    caller: number[]; bci: number[]; line: number[]; callee: number[]; values: EdgeValues[];
  };
  nodes?: {
    depth: number[]; bci: number[]; line: number[]; method: number[]; values: NodeValues[];
  };
  profiles: ProfileData[];
  sources: { path: string; lines: Record<string, string> }[];
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function readEmbedded(id: string): Promise<ReportData> {
  const text = document.getElementById(id)?.textContent ?? '';
  const packed = fromBase64(text.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const data = (await new Response(stream).json()) as ReportData;
  if (data.version !== 1) throw new Error(`data version ${data.version} is not for this page`);
  return data;
}
