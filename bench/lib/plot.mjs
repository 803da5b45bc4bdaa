/**
 * A plot of quantities over the number of Services, both on logarithmic scales, as SVG.
 *
 * @typedef {object} Plot
 * @property {string} title
 * @property {string} yTitle with the unit
 * @property {(value: number) => string} format of values on the axis
 * @property {readonly Series[]} series
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {keyof typeof THEMES.light.colours} colour
 * @property {boolean} [isReference] drawn in dashes: measured in another way
 * @property {readonly {x: number, y: number}[]} points in order of `x`; numbers above 0
 *
 * @typedef {'light' | 'dark'} Theme
 */

const THEMES = {
  light: {
    text: '#1f2328',
    faint: '#59636e',
    grid: '#d1d9e0',
    background: '#ffffff',
    colours: { blue: '#0969da', green: '#1a7f37', orange: '#bc4c00', purple: '#8250df', grey: '#59636e' },
  },
  dark: {
    text: '#f0f6fc',
    faint: '#9198a1',
    grid: '#3d444d',
    background: '#0d1117',
    colours: { blue: '#4493f8', green: '#3fb950', orange: '#f0883e', purple: '#ab7df8', grey: '#9198a1' },
  },
};

const WIDTH = 800;
const HEIGHT = 440;
const AREA = { left: 76, right: 570, top: 52, bottom: 380 };
/** Pixels between two labels of lines. */
const LABEL_STEP = 17;

/**
 * @param {Plot} plot
 * @param {Theme} theme
 * @returns {string}
 */
export function renderPlot({ title, yTitle, format, series }, theme) {
  const { text, faint, grid, background, colours } = THEMES[theme];
  const points = series.flatMap((one) => one.points);
  const x = logScale(
    points.map((point) => point.x),
    [AREA.left, AREA.right],
  );
  const y = logScale(
    points.map((point) => point.y),
    [AREA.bottom, AREA.top],
  );
  const labels = placeLabels(
    series.map((one) => {
      const last = one.points.at(-1) ?? { x: 1, y: 1 };
      return { x: x.place(last.x), y: y.place(last.y) };
    }),
  );
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escapeXml(title)}" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" font-size="13">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${background}"/>`,
    write(title, AREA.left, 24, `fill="${text}" font-size="16" font-weight="600"`),
    write(yTitle, AREA.left, 43, `fill="${faint}"`),
  ];
  for (const tick of y.ticks) {
    const at = fixed(y.place(tick));
    lines.push(`<path d="M${AREA.left} ${at}H${AREA.right}" stroke="${grid}"/>`);
    lines.push(write(format(tick), AREA.left - 8, at + 4, `fill="${faint}" text-anchor="end"`));
  }
  for (const tick of x.ticks) {
    const at = fixed(x.place(tick));
    lines.push(`<path d="M${at} ${AREA.bottom}v5" stroke="${faint}"/>`);
    lines.push(write(tick.toLocaleString('en'), at, AREA.bottom + 20, `fill="${faint}" text-anchor="middle"`));
  }
  lines.push(`<path d="M${AREA.left} ${AREA.bottom}H${AREA.right}" stroke="${faint}"/>`);
  lines.push(write('Services', (AREA.left + AREA.right) / 2, AREA.bottom + 42, `fill="${faint}" text-anchor="middle"`));
  for (const [index, { label, colour, isReference = false, points: all }] of series.entries()) {
    const stroke = colours[colour];
    const places = all.map((point) => ({ x: fixed(x.place(point.x)), y: fixed(y.place(point.y)) }));
    const path = places.map((place) => `${place.x} ${place.y}`).join('L');
    const dashes = isReference ? ' stroke-dasharray="6 5"' : '';
    lines.push(`<path d="M${path}" fill="none" stroke="${stroke}" stroke-width="2"${dashes}/>`);
    for (const place of places) {
      lines.push(
        `<circle cx="${place.x}" cy="${place.y}" r="3.5" fill="${isReference ? background : stroke}" stroke="${stroke}" stroke-width="1.5"/>`,
      );
    }
    const end = places.at(-1);
    const at = labels[index];
    if (end !== undefined && at !== undefined) {
      const from = end.x + 7;
      const to = AREA.right + 12;
      lines.push(
        `<path d="M${from} ${end.y}L${to} ${fixed(at)}" stroke="${stroke}" stroke-opacity="0.5" stroke-dasharray="1 3"/>`,
      );
      lines.push(write(label, to + 4, fixed(at) + 4, `fill="${stroke}"`));
    }
  }
  lines.push('</svg>');
  return `${lines.join('\n')}\n`;
}

/**
 * @param {readonly number[]} values above 0
 * @param {readonly [number, number]} range in pixels
 */
function logScale(values, [from, to]) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const ticks = ticksBetween(low, high);
  const [least = low, most = high] = [ticks[0], ticks.at(-1)];
  const [begin, end] = [Math.log(Math.min(low, least)), Math.log(Math.max(high, most))];
  return {
    ticks,
    place: (/** @type {number} */ value) =>
      end === begin ? (from + to) / 2 : from + ((Math.log(value) - begin) / (end - begin)) * (to - from),
  };
}

/**
 * Powers of ten that enclose the values, with steps between them where these are few.
 *
 * @param {number} low
 * @param {number} high
 */
export function ticksBetween(low, high) {
  const decades = Math.log10(high / low);
  const steps = decades > 3 ? [1] : decades > 1.2 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
  const all = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    all.push(...steps.map((step) => Number((step * 10 ** power).toPrecision(2))));
  }
  const first = all.findLastIndex((tick) => tick <= low);
  const last = all.findIndex((tick) => tick >= high);
  return all.slice(Math.max(first, 0), last < 0 ? undefined : last + 1);
}

/**
 * Heights of labels, so far apart that each can be read, and near to the ends of their lines.
 *
 * @param {readonly {x: number, y: number}[]} ends
 * @returns {readonly number[]}
 */
export function placeLabels(ends) {
  const order = ends.map((_end, index) => index).sort((a, b) => (ends[a]?.y ?? 0) - (ends[b]?.y ?? 0));
  const places = order.map((index) => ends[index]?.y ?? 0);
  for (let index = 1; index < places.length; index += 1) {
    places[index] = Math.max(places[index] ?? 0, (places[index - 1] ?? 0) + LABEL_STEP);
  }
  // What was pushed out below is pushed back.
  let limit = AREA.bottom;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] ?? 0, limit);
    limit = (places[index] ?? 0) - LABEL_STEP;
  }
  const result = Array(ends.length).fill(0);
  for (const [position, index] of order.entries()) {
    result[index] = places[position];
  }
  return result;
}

/**
 * @param {string} content
 * @param {number} x
 * @param {number} y
 * @param {string} attributes
 */
function write(content, x, y, attributes) {
  return `<text x="${fixed(x)}" y="${fixed(y)}" ${attributes}>${escapeXml(content)}</text>`;
}

/** @param {number} value */
function fixed(value) {
  return Math.round(value * 10) / 10;
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
