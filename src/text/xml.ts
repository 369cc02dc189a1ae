const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows no others of them than tab and line ends.
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Text made safe to stand in XML, between tags or in a quoted attribute; characters that XML 1.0 cannot hold are left out. */
export function escapeXml(text: string): string {
  return text
    .replace(NOT_XML, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** An element with text, and attributes where it has some. */
export function xmlElement(name: string, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  return `<${name}${attributesOf(attributes)}>${escapeXml(text)}</${name}>`
}

/** An element without content. */
export function emptyElement(name: string, attributes: Readonly<Record<string, string>>): string {
  return `<${name}${attributesOf(attributes)}/>`
}

function attributesOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('')
}
