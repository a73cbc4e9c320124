'use strict';
const el = (name, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};

// A schema as JSON would look, with what is known of each value for a value.
function sketch(schema, schemas, depth = 0) {
  if (!schema) return null;
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    return depth > 4 ? `${name} …` : sketch(schemas[name], schemas, depth + 1);
  }
  const either = schema.oneOf || schema.anyOf;
  if (either) return sketch(either.find(one => one.type !== 'null'), schemas, depth);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(one => sketch(one, schemas, depth)));
  if (schema.example !== undefined) return schema.example;
  const type = Array.isArray(schema.type) ? schema.type.filter(one => one !== 'null').join(' | ') : schema.type;
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([key, value]) => [key, sketch(value, schemas, depth)]));
  }
  if (type === 'array') return depth > 4 ? [] : [sketch(schema.items, schemas, depth + 1)];
  return type || 'anything';
}

function operation(verb, path, described, schemas) {
  const inside = el('div', { className: 'inside' });
  const more = (described.description || '').trim();
  if (more) inside.append(el('p', { textContent: more }));
  const fields = new Map();
  if (described.parameters?.length) {
    const rows = described.parameters.map(parameter => {
      const value = parameter.example ?? parameter.schema?.example ?? '';
      const input = el('input', { placeholder: parameter.schema?.default ?? '', value: parameter.in === 'path' ? value : '',
        ariaLabel: parameter.name, spellcheck: false });
      fields.set(parameter, input);
      const about = [parameter.description, value !== '' && `for example ${value}`].filter(Boolean).join('; ');
      return el('tr', {}, el('td', {}, el('code', { textContent: parameter.name })), el('td', {}, input),
        el('td', { className: 'muted', textContent: about }));
    });
    inside.append(el('table', {}, ...rows));
  }
  let body = null;
  const media = described.requestBody?.content?.['application/json'];
  if (media) {
    body = el('textarea', { rows: 3, spellcheck: false, ariaLabel: 'body',
      value: JSON.stringify(media.example ?? sketch(media.schema, schemas)) });
    inside.append(body);
  }
  const shown = el('pre', { hidden: true });
  const address = el('p', { className: 'path' });
  const ask = el('button', { textContent: 'Ask' });
  ask.onclick = async () => {
    let filled = path;
    const query = new URLSearchParams();
    for (const [parameter, input] of fields) {
      if (parameter.in === 'path') filled = filled.replace(new RegExp(`\\{\\*?${parameter.name}\\}`), encodeURIComponent(input.value));
      else if (input.value !== '') query.set(parameter.name, input.value);
    }
    const url = query.size ? `${filled}?${query}` : filled;
    address.textContent = `${verb.toUpperCase()} ${url}`;
    const begun = performance.now();
    const response = await fetch(url, { method: verb.toUpperCase(), body: body?.value,
      headers: body ? { 'content-type': 'application/json' } : {} });
    const text = await response.text();
    const took = Math.round(performance.now() - begun);
    let pretty = text;
    try { pretty = JSON.stringify(JSON.parse(text), null, 2); } catch { /* it is not JSON */ }
    if (pretty.length > 100000) pretty = pretty.slice(0, 100000) + '\n…';
    shown.textContent = `${response.status} ${response.statusText}, ${text.length} bytes, ${took} ms\n\n${pretty}`;
    shown.hidden = false;
  };
  inside.append(el('p', {}, ask), address, shown);
  const answers = Object.entries(described.responses || {}).map(([status, response]) => {
    const content = Object.values(response.content || {})[0];
    const cell = el('td', { colSpan: 2 }, response.description || '');
    if (content?.schema && status.startsWith('2')) {
      const fold = el('pre', { textContent: JSON.stringify(sketch(content.schema, schemas), null, 2) });
      cell.append(fold);
    }
    return el('tr', {}, el('td', {}, el('code', { textContent: status })), cell);
  });
  inside.append(el('table', {}, ...answers));
  return el('details', { id: described.operationId || path },
    el('summary', {}, el('span', { className: 'verb', textContent: verb.toUpperCase() }),
      el('span', { className: 'path', textContent: path }), el('span', { className: 'what', textContent: described.summary || '' })),
    inside);
}

(async () => {
  const api = await (await fetch('/openapi.json')).json();
  const about = document.getElementById('about');
  about.textContent = `${api.info.description} Version ${api.info.version}. `;
  about.append(el('a', { href: '/openapi.json', textContent: 'openapi.json' }));
  const all = document.getElementById('all');
  const operations = Object.entries(api.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, described]) => ({ verb, path, described })));
  for (const tag of api.tags) {
    const own = operations.filter(one => one.described.tags?.includes(tag.name));
    if (!own.length) continue;
    all.append(el('h2', {}, tag.name + ' ', el('small', { textContent: tag.description || '' })));
    all.append(...own.map(one => operation(one.verb, one.path, one.described, api.components?.schemas || {})));
  }
})().catch(error => { document.getElementById('about').textContent = `openapi.json could not be read: ${error}`; });
