/** A picture as SVG text, and as PNG. */
import { formatBytes, plural } from '../../components/format.ts';
import { type Cell, INDENT, KEY_WIDTH, type Layout, MARK_WIDTH, ROW } from './layout.ts';
import { keysIn, type PictureTable } from './schema.ts';
import { cutText } from './text.ts';
import type { EntityTypes } from './types.ts';

export interface ExportedPane {
  title: string;
  layout: Layout;
  table: PictureTable;
  index?: string;
}

const HEAD = 52;
const LEGEND = 34;
const GAP = 28;
const MARGIN = 16;
const MAX_ROWS = 10_000;

interface Palette {
  background: string;
  shade: string;
  text: string;
  grey: string;
  line: string;
  accent: string;
}

const LIGHT: Palette = { background: '#ffffff', shade: '#f4f6f8', text: '#0f141a', grey: '#656871', line: '#dedee3', accent: '#0972d3' };
const DARK: Palette = { background: '#161d26', shade: '#1c2530', text: '#ebebf0', grey: '#a4a4ad', line: '#424650', accent: '#42b4ff' };

/** XML has no form for control characters and halves of surrogate pairs. */
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const escape = (text: string) => text.replace(/[&<>"]/g, (each) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[each]!).replace(NO_XML, '\ufffd');

const cut = (text: string, width: number, each = 7.23) => cutText(text, Math.max(1, Math.floor(width / each)));

function text(x: number, y: number, content: string, style: string, anchor = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y + 14}"${anchor} ${style}>${escape(content)}</text>`;
}

class Drawing {
  private readonly parts: string[] = [];
  private readonly palette: Palette;
  private readonly types: EntityTypes;

  constructor(palette: Palette, types: EntityTypes) {
    this.palette = palette;
    this.types = types;
  }

  add(part: string) {
    this.parts.push(part);
  }

  toString() {
    return this.parts.join('\n');
  }

  /** Returns its width. */
  legend(): number {
    let x = 0;
    for (const type of this.types.list) {
      this.add(`<rect x="${x}" y="2" width="16" height="16" rx="3" fill="${type.colour}"/>`);
      this.add(text(x + 8, 1, type.letter, 'class="letter"', ' text-anchor="middle"'));
      const label = `${type.name} (${type.count})`;
      this.add(text(x + 22, 1, label, `fill="${this.palette.text}" class="name"`));
      x += 22 + label.length * 6.6 + 18;
    }
    return x;
  }

  private cell(cell: Cell, y: number, aligned: boolean, struck: boolean) {
    const { palette } = this;
    if (!cell.value) {
      this.add(`<rect x="${cell.x}" y="${y + 3}" width="${cell.width - 6}" height="${ROW - 6}" fill="url(#hatch)"/>`);
      if (!aligned) this.add(text(cell.x + 3, y, cell.label, `fill="${palette.grey}" class="name"`));
      return;
    }
    const strike = struck ? ' text-decoration="line-through"' : '';
    if (aligned) {
      const x = cell.right ? cell.x + cell.width - 12 : cell.x;
      this.add(text(x, y, cell.text, `fill="${palette.text}"${strike}`, cell.right ? ' text-anchor="end"' : ''));
      return;
    }
    this.add(text(cell.x, y, cell.label, `fill="${palette.grey}" class="name"`));
    this.add(text(cell.x + cell.label.length * 6.1 + 6, y, cell.text, `fill="${palette.text}"${strike}`));
  }

  pane(pane: ExportedPane, isolated?: number) {
    const { layout } = pane;
    const { palette } = this;
    const keys = keysIn(pane.table, pane.index);
    const aligned = layout.rows.some((row) => row.kind === 'head');
    this.add(text(0, 0, pane.title, `fill="${palette.text}" class="title"`));
    this.add(text(4, 26, cut(`Partition key: ${keys.partition.join(', ')}`, KEY_WIDTH, 6.1), `fill="${palette.grey}" class="name"`));
    if (keys.sort.length) this.add(text(KEY_WIDTH + MARK_WIDTH, 26, cut(`Sort key: ${keys.sort.join(', ')}`, layout.sortWidth, 6.1), `fill="${palette.grey}" class="name"`));
    this.add(text(layout.left + 6, 26, 'Attributes', `fill="${palette.grey}" class="name"`));
    const rows = layout.rows.slice(0, MAX_ROWS);
    const end = rows.length * ROW;
    for (const [index, band] of layout.bands.entries()) {
      if (band.y >= end) break;
      const height = Math.min(band.height, end - band.y);
      const y = HEAD + band.y;
      this.add(`<rect x="0" y="${y}" width="${layout.width}" height="${height}" fill="${index % 2 ? palette.shade : palette.background}"/>`);
      this.add(`<line x1="0" x2="${layout.width}" y1="${y}" y2="${y}" stroke="${palette.line}"/>`);
      this.add(text(6, y, cut(band.text, KEY_WIDTH - 12), `fill="${palette.text}" font-weight="600"`));
      if (height > ROW) this.add(text(6, y + ROW, `${plural('item', band.count)}, ${formatBytes(band.bytes)}`, `fill="${palette.grey}" class="name"`));
    }
    for (const row of rows) {
      const y = HEAD + row.y;
      const type = row.kind === 'fold' ? undefined : this.types.list[row.type];
      if (row.kind === 'head') {
        for (const cell of row.cells) {
          const x = cell.right ? cell.x + cell.width - 12 : cell.x;
          this.add(text(x, y, cell.label, `fill="${palette.grey}" class="name"`, cell.right ? ' text-anchor="end"' : ''));
        }
        continue;
      }
      if (row.kind === 'fold') {
        this.add(text(KEY_WIDTH + MARK_WIDTH + row.depth * INDENT, y, cut(`${row.open ? '▾' : '▸'} ${row.prefix}  ${plural('item', row.count)}`, layout.width - KEY_WIDTH - MARK_WIDTH - row.depth * INDENT), `fill="${palette.text}"`));
        continue;
      }
      const faded = isolated !== undefined && isolated !== row.type;
      if (faded) this.add('<g opacity="0.22">');
      if (type) {
        this.add(`<rect x="${KEY_WIDTH + 3}" y="${y + 2}" width="16" height="16" rx="3" fill="${type.colour}"/>`);
        this.add(text(KEY_WIDTH + 11, y, type.letter, 'class="letter"', ' text-anchor="middle"'));
      }
      const x = KEY_WIDTH + MARK_WIDTH + row.depth * INDENT;
      const room = layout.sortWidth - 8 - row.depth * INDENT;
      const strike = row.dropped ? ' text-decoration="line-through"' : '';
      const key = cut(row.shared + row.rest, room);
      this.add(
        `<text x="${x}" y="${y + 14}"${strike}><tspan fill="${palette.grey}">${escape(key.slice(0, row.shared.length))}</tspan><tspan fill="${palette.text}">${escape(key.slice(row.shared.length))}</tspan></text>`,
      );
      for (const cell of row.cells) this.cell(cell, y, aligned, row.dropped);
      if (faded) this.add('</g>');
    }
    for (const box of layout.boxes) {
      this.add(`<rect x="${KEY_WIDTH + 1}" y="${HEAD + box.y}" width="${layout.width - KEY_WIDTH - 2}" height="${box.height}" rx="4" fill="none" stroke="${palette.accent}" stroke-width="2"/>`);
    }
    if (layout.rows.length > rows.length) this.add(text(6, HEAD + end, `${plural('more row', layout.rows.length - rows.length)}`, `fill="${palette.grey}" class="name"`));
  }
}

/** `isolated` is the place of the type that is shown alone: the others are faded. */
export function toSvg(panes: ExportedPane[], types: EntityTypes, dark: boolean, isolated?: number): string {
  const palette = dark ? DARK : LIGHT;
  const panesWidth = panes.reduce((sum, each) => sum + each.layout.width, 0) + GAP * Math.max(0, panes.length - 1);
  const height = MARGIN * 2 + LEGEND + HEAD + ROW * (1 + Math.max(0, ...panes.map((each) => Math.min(MAX_ROWS, each.layout.rows.length))));
  const drawing = new Drawing(palette, types);
  drawing.add(`<g transform="translate(${MARGIN} ${MARGIN})">`);
  const width = MARGIN * 2 + Math.max(panesWidth, Math.ceil(drawing.legend()));
  drawing.add('</g>');
  let x = MARGIN;
  for (const pane of panes) {
    drawing.add(`<g transform="translate(${x} ${MARGIN + LEGEND})">`);
    drawing.pane(pane, isolated);
    drawing.add('</g>');
    x += pane.layout.width + GAP;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    '<style>text{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.name{font:11px system-ui,sans-serif}.title{font:600 14px system-ui,sans-serif}.letter{font:700 11px system-ui,sans-serif;fill:#fff;paint-order:stroke;stroke:#0008;stroke-width:2px}</style>' +
    `<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="${palette.shade}"/><line x1="0" y1="0" x2="0" y2="6" stroke="${palette.line}" stroke-width="3"/></pattern></defs>` +
    `<rect width="${width}" height="${height}" fill="${palette.background}"/>\n${drawing}</svg>`
  );
}

const MAX_SIDE = 32_000; // of what browsers draw on a canvas
const MAX_AREA = 200_000_000;

/** Draws an SVG onto a canvas; `scale` is below 1 if browsers would refuse its size. */
export async function toPng(svg: string): Promise<{ blob: Blob; scale: number }> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const { width, height } = image;
  const scale = Math.min(2, MAX_SIDE / Math.max(width, height), Math.sqrt(MAX_AREA / (width * height)));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(width * scale));
  canvas.height = Math.max(1, Math.floor(height * scale));
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('The picture is too large for PNG; save it as SVG.');
  return { blob, scale };
}

export function download(name: string, content: Blob | string, type = 'text/plain;charset=utf-8'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
