import { deepEqual, doesNotMatch, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Parser } from 'htmlparser2'
import {
  decodedText,
  escapeHtml,
  plainText,
  renderTermName,
  renderText,
  renderTitle,
  singleLine,
  stripUnsafe,
} from '../../src/base/text/html.ts'
import { fc, rounds } from '../support/rounds.ts'

describe('titles', () => {
  const titles: readonly (readonly [string, string])[] = [
    ['', ''],
    ['Quiet Supper', 'Quiet Supper'],
    ['  Padded   Title  ', 'Padded   Title'],
    ['Tom & Jane\'s "Big" Quiz <em>Live</em>', 'Tom &#038; Jane\'s "Big" Quiz <em>Live</em>'],
    ['Fish &#038; Chips', 'Fish &#038; Chips'],
    ['Café Société: “Été” à la Plage', 'Café Société: “Été” à la Plage'],
    ['5 < 6 > 4', '5 &lt; 6 &gt; 4'],
    ['I <3 you', 'I &lt;3 you'],
    ['a<b and nothing closes it', 'a&lt;b and nothing closes it'],
    ['C:\\temp\\new', 'C:\\temp\\new'],
    ['夏祭り 🎏 👩‍👩‍👧 עברית', '夏祭り 🎏 👩‍👩‍👧 עברית'],
    ['Kite<!-- hidden --> Day', 'Kite Day'],
  ]
  for (const [raw, title] of titles) {
    test(`${JSON.stringify(raw)} is rendered the same for every author`, () => {
      equal(renderTitle(raw, true), title)
      equal(renderTitle(raw, false), title)
    })
  }

  test('markup beyond the line goes from titles of untrusted authors, its content stays', () => {
    equal(renderTitle('Script <script>alert(1)</script> Night', false), 'Script alert(1) Night')
    equal(renderTitle('<h1 onclick="x()">Big</h1> <a href="https://a.example">Day</a>', false), 'Big Day')
    equal(renderTitle('<b class="x" onmouseover="y()">Bold</b>', false), '<b>Bold</b>')
    equal(renderTitle('<style>b { color: red }</style>Plain', false), 'Plain')
  })

  test('trusted authors keep their markup in titles', () => {
    const title =
      '<a href="https://a.example/?b=1" onclick="x()">Day</a> <script>if (1 < 2 && 3) x()</script>'
    equal(renderTitle(title, true), title)
  })
})

describe('descriptions', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['', ''],
    [' \n\n ', ''],
    ['desc', '<p>desc</p>'],
    ['a\nb', '<p>a<br />\nb</p>'],
    ['a\r\nb\r\n\r\nc', '<p>a<br />\nb</p>\n<p>c</p>'],
    ['a\n \t\nb\n\n\n\nc\n', '<p>a</p>\n<p>b</p>\n<p>c</p>'],
    ['Fly! 🪁', '<p>Fly! 🪁</p>'],
    ['A {brace}, a %20 and 50% off', '<p>A {brace}, a %20 and 50% off</p>'],
    ['Soup & <b>bread</b> > cake', '<p>Soup &amp; <b>bread</b> &gt; cake</p>'],
    ['<p>a</p>\n<p>b</p>', '<p>a</p>\n<p>b</p>'],
    ['<p>a</p><p>b</p>', '<p>a</p>\n<p>b</p>'],
    ['<p>a\nb</p>', '<p>a\nb</p>'],
    [
      'before\n<ul>\n<li>one</li>\n\n<li>two</li>\n</ul>\nafter',
      '<p>before</p>\n<ul>\n<li>one</li>\n\n<li>two</li>\n</ul>\n<p>after</p>',
    ],
    ['a<br />\nb<br />c', '<p>a<br />\nb<br />c</p>'],
    ['<strong>a\n\nb</strong> c', '<p><strong>a<br />\n<br />\nb</strong> c</p>'],
    ['<a href="/x"><h2>Head</h2></a> tail', '<a href="/x"><h2>Head</h2></a>\n<p>tail</p>'],
    ['one<hr />two', '<p>one</p>\n<hr />\n<p>two</p>'],
    ['<pre>a\n\nb</pre>', '<pre>a\n\nb</pre>'],
    ['a<!-- hidden -->b', '<p>ab</p>'],
  ]
  for (const [raw, html] of texts) {
    test(`${JSON.stringify(raw)} is set in paragraphs the same for every author`, () => {
      equal(renderText(raw, true), html)
      equal(renderText(raw, false), html)
    })

    test(`${JSON.stringify(html)}, sent back as rendered, is rendered the same`, () => {
      equal(renderText(html, true), html)
      equal(renderText(html, false), html)
    })
  }

  test('handlers, scripts and foreign frames go from descriptions of untrusted authors', () => {
    const sent =
      '<p onclick="x()">Hi</p><script>alert(2)</script><iframe src="https://frames.example.org"></iframe>'
    equal(renderText(sent, false), '<p>Hi</p>\n<p>alert(2)</p>')
  })

  test('untrusted authors keep links, lists, tables, pictures, headings and embeds of known sites', () => {
    const kept = [
      '<h2>Head</h2>',
      '<p>A <a href="https://a.example/?b=1&amp;c=2" target="_blank" ' +
        'rel="noopener">link</a>, <a href="mailto:a@b.example">mail</a></p>',
      '<table><tbody><tr><td colspan="2">cell</td></tr></tbody></table>',
      '<p><img src="https://a.example/a.png" alt="" width="10" class="alignleft" /></p>',
      '<p style="text-align:center">middle</p>',
      '<p><iframe src="https://www.youtube.com/embed/abc" width="560" allowfullscreen></iframe></p>',
      '<p><iframe src="https://www.google.com/maps/embed?pb=1"></iframe></p>',
      '<details open><summary>More</summary>less</details>',
    ]
    for (const html of kept) equal(renderText(html, false), html)
  })

  test('classes and styles of untrusted authors reach no further than their element', () => {
    const sent =
      '<p class="alignleft admin-bar" style="color: red; position: fixed; background: url(//a.example)">a</p>'
    equal(renderText(sent, false), '<p class="alignleft" style="color:red">a</p>')
  })

  test('a frame is embedded from known pages only', () => {
    for (const src of [
      'https://www.google.com/search?q=maps',
      'https://www.youtube.com.evil.example/embed/x',
      'https://www.youtube.com@evil.example/embed/x',
      '/admin/',
      'data:text/html,x',
      'javascript:alert(1)',
    ]) {
      equal(renderText(`a <iframe src="${src}">inside</iframe> b`, false), '<p>a  b</p>')
    }
  })

  test('trusted authors keep scripts, frames and broken paragraphs', () => {
    const script = '<script>\nif (a < b && c) d()\n\n</script>'
    equal(renderText(`a\n${script}\nb`, true), `<p>a</p>\n${script}\n<p>b</p>`)
    equal(
      renderText('<iframe src="https://a.example"></iframe>', true),
      '<p><iframe src="https://a.example"></iframe></p>',
    )
    equal(renderText('<p>a\n<p>b', true), '<p>a</p>\n<p>b</p>')
    equal(renderText('</div>a', true), '</div>\n<p>a</p>')
  })
})

test('names of terms lose their tags and have HTML signs as entities', () => {
  equal(renderTermName('Food & <b>Drink</b>'), 'Food &amp; Drink')
  equal(renderTermName('Food &amp; Drink'), 'Food &amp; Drink')
  equal(renderTermName('5 > 4 < 6'), '5 &gt; 4 &lt; 6')
  equal(renderTermName('Kids\' "club"'), 'Kids\' "club"')
})

test('sanitised text makes no paragraphs', () => {
  equal(
    stripUnsafe('Rivers, lakes & tarns.\n\nSeas <b onclick="x()">too</b>'),
    'Rivers, lakes &amp; tarns.\n\nSeas <b>too</b>',
  )
})

test('escaped text holds no sign of HTML', () => {
  equal(escapeHtml(`<a href="x">'&amp;'</a>`), '&lt;a href=&quot;x&quot;&gt;&#039;&amp;amp;&#039;&lt;/a&gt;')
})

test('plain text is one line without tags, entities and scripts', () => {
  equal(
    plainText('<p>Soup &amp; <b>br</b>ead<br>caf&eacute;&nbsp;&#8217;s</p>\n<p>b</p>'),
    'Soup & bread café ’s b',
  )
  equal(plainText('a <script>track()</script><style>b {}</style>b'), 'a b')
  equal(plainText('5 < 6 &lt;b&gt;'), '5 < 6 <b>')
  equal(decodedText('A <script>x</script>'), 'A x')
})

test('single lines are plain text in which no tag can begin', () => {
  equal(singleLine('  1 <b>Main</b>\n Street\t'), '1 Main Street')
  equal(singleLine('Rock & Roll St "5" < 6'), 'Rock & Roll St "5" < 6')
  equal(singleLine('<<b>img src=x onerror=alert(1)>'), '< img src=x onerror=alert(1)>')
})

// From the OWASP cheat sheet on evading filters, and later attacks on sanitisers.
const ATTACKS = [
  '<script>alert(1)</script>',
  '<script\t>alert(1)</script\n>',
  '<<script>alert(1);//<</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<scr<!-- -->ipt>alert(1)</script>',
  '<SCRIPT a=">" SRC="https://xss.example/xss.js"></SCRIPT>',
  '<script>document.write("<SCRI");</script>PT SRC="https://xss.example/xss.js"></script>',
  '</title><script>alert(1)</script>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<plaintext><script>alert(1)</script>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<option>&lt;script&gt;alert(1)&lt;/script&gt;</option>',
  '<img src="javascript:alert(1)">',
  '<IMG SRC=JaVaScRiPt:alert(1)>',
  '<img """><script>alert(1)</script>">',
  '<img src=x onerror=alert(1)>',
  '<img src="x`<script>alert(1)</script>"onerror=alert(1)>',
  '<img onerror\n=alert(1) src=x>',
  '<img src=&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)>',
  '<img src=&#0000106&#0000097&#0000118&#0000097&#0000115&' +
    '#0000099&#0000114&#0000105&#0000112&#0000116&#0000058alert(1)>',
  '<img src="jav\tascript:alert(1);">',
  '<img src="java\0script:alert(1)">',
  '<img src="livescript:x"><img src=\'vbscript:msgbox("x")\'>',
  '<img dynsrc="javascript:alert(1)"><img lowsrc="javascript:alert(1)">',
  '<img src=x srcset="javascript:alert(1) 1x, x 2x">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="javascript&colon;alert(1)">x</a>',
  '<a href="java&Tab;script&colon;alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<a onmouseover=alert(1)>x</a>',
  '<a href=x ping="javascript:alert(1)" id=x onclick\x0b=alert(1)>x</a>',
  '<body onload!#$%&()*~+-_.,:;?@[/|\\]^`=alert(1)>',
  '<body background="javascript:alert(1)">',
  '<link rel="stylesheet" href="javascript:alert(1);">',
  '<style>@import "https://xss.example/xss.css";</style>',
  '<style>li { list-style-image: url("javascript:alert(1)"); }</style><ul><li>x</ul>',
  '<style><img src="</style><img src=x onerror=alert(1)//">',
  '<div style="background-image: url(javascript:alert(1))">',
  '<div style="behavior: url(xss.htc); -moz-binding: url(//xss.example/x.xml#xss)">',
  '<p style="color: red; } body { background: url(javascript:alert(1))">x</p>',
  '<xss style="xss:expr/*XSS*/ession(alert(1))">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1);">',
  '<base href="javascript:alert(1);//">',
  '<iframe src="javascript:alert(1);"></iframe>',
  '<iframe src="https://www.youtube.com/embed/x" ' +
    'srcdoc="<script>alert(1)</script>" onload=alert(1)></iframe>',
  '<iframe src="https://www.youtube.com/embed/x"><img ' +
    'title="</iframe><img src=x onerror=alert(1)>"></iframe>',
  '<frameset><frame src="javascript:alert(1);"></frameset>',
  '<table background="javascript:alert(1)"><td background="javascript:alert(1)">x</table>',
  '<object type="text/x-scriptlet" data="https://xss.example/x.html"></object>',
  '<embed src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+" type="image/svg+xml">',
  '<svg onload=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><style><img title="</style><img src onerror=alert(1)>"></style></svg>',
  '<svg><animate attributeName=href values=javascript:alert(1) />',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<math href="javascript:alert(1)">x</math>',
  '<form><button formaction="javascript:alert(1)">x</button></form>',
  '<form action="javascript:alert(1)"><input type=submit></form>',
  '<input type="image" src="javascript:alert(1);" onfocus=alert(1) autofocus>',
  '<video><source onerror="alert(1)"></video><video poster=javascript:alert(1)//></video>',
  '<audio src onerror=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<template><script>alert(1)</script></template>',
  '<!--[if gte IE 4]><script>alert(1);</script><![endif]-->',
  '<!--><script>alert(1)</script>-->',
  '<!--!><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><script>alert(1)</script>',
  '<? foo="><script>alert(1)</script>">',
  '<! foo="><script>alert(1)</script>">',
  '</ foo="><script>alert(1)</script>">',
  '<% foo><x foo="%><script>alert(1)</script>">',
  '<x onclick=alert(1)>x<y onpointerover=alert(1)>',
  '<p title="</p><script>alert(1)</script>">x',
  `'';!--"<XSS>=&{()}`,
  '\u003cscript\u003ealert(1)\u003c/script\u003e',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '＜script＞alert(1)＜/script＞',
]

const FORBIDDEN = new Set(
  (
    'applet base body button embed form frame frameset ' +
    'head html input link math meta noscript object param ' +
    'plaintext script select style svg template textarea title xmp'
  ).split(' '),
)
const ADDRESSES = new Set(
  'action background cite data formaction href ping poster src srcset xlink:href'.split(' '),
)

function dangersOf(html: string): string[] {
  const dangers: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (FORBIDDEN.has(name)) dangers.push(`<${name}>`)
      for (const [attribute, value] of Object.entries(attributes)) {
        const plain = [...value]
          .filter((sign) => sign > ' ')
          .join('')
          .toLowerCase()
        const scheme = /^([a-z][a-z0-9.+-]*):/.exec(plain)?.[1] ?? 'https'
        if (attribute.startsWith('on') || attribute === 'srcdoc') dangers.push(attribute)
        if (ADDRESSES.has(attribute) && !['http', 'https', 'mailto', 'tel'].includes(scheme))
          dangers.push(`${attribute}=${value}`)
        if (attribute === 'style' && /[(\\:]\s*(?:url|expression)|behavior|binding|import/.test(plain))
          dangers.push(`style=${value}`)
      }
      if (name === 'iframe' && !/^https:\/\/www\.youtube\.com\/embed\//.test(attributes.src ?? ''))
        dangers.push('iframe')
    },
  })
  parser.write(html)
  parser.end()
  return dangers
}

describe('untrusted HTML', () => {
  test('the check for dangers finds them', () => {
    for (const html of [
      '<script>',
      '<b onclick=x>',
      '<a href=" java&Tab;script:x">',
      '<p style="width:expression(x)">',
      '<iframe>',
    ]) {
      equal(dangersOf(html).length, 1, html)
    }
    deepEqual(dangersOf('<p><a href="/x?javascript:">x</a></p>'), [])
  })

  for (const attack of ATTACKS) {
    test(`${JSON.stringify(attack)} leaves nothing that runs`, () => {
      for (const html of [
        renderText(attack, false),
        renderTitle(attack, false),
        stripUnsafe(attack),
        renderTermName(attack),
      ]) {
        deepEqual(dangersOf(html), [], html)
      }
      deepEqual(dangersOf(`<p>${singleLine(attack)}</p>`), [])
      deepEqual(dangersOf(`<p title="${escapeHtml(attack)}">${escapeHtml(attack)}</p>`), [])
    })
  }
})

const bit = fc.constantFrom(
  ...(
    '<p>|</p>|<em>|</em>|<strong>|</strong>|<br>|\n|\n\n|&|&' +
    'amp;|&nbsp;|<|>|"|\'|<div>|</div>|<ul>|<li>|</li>|</ul>|' +
    '<a href="x" target=_blank>|</a>|<script>|</script>|<style>' +
    '|</style>|<!--|-->|<table>|<tr>|<td>|</table>|<h2>|</h2>|' +
    '<img src=x>|<hr>|<iframe>|</iframe>|<iframe ' +
    'src="https://www.youtube.com/embed/x">|<textarea>|<svg>|<pre>|</pre>|' +
    '<details open>|<summary>|<span style="color:red;position:fixed" ' +
    'class="alignleft evil">|</span>|<ruby>|<rt>|</ruby>|' +
    '</br>|<select>|<b onclick=x>|</b>|<math>|<xmp>|</xmp>|<option>|<a href="javascript:x">'
  ).split('|'),
)
const anyHtml = fc
  .array(fc.oneof({ weight: 3, arbitrary: bit }, fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 25,
  })
  .map((bits) => bits.join(''))

describe('any text at all', () => {
  test('is safe when rendered for untrusted authors', () => {
    fc.assert(
      fc.property(anyHtml, (text) => {
        for (const html of [
          renderText(text, false),
          renderTitle(text, false),
          stripUnsafe(text),
          renderTermName(text),
        ]) {
          deepEqual(dangersOf(html), [], html)
        }
      }),
      { numRuns: rounds(75) },
    )
  })

  test('once rendered, is rendered the same again', () => {
    const renderings: readonly ((text: string) => string)[] = [
      (text) => renderText(text, false),
      (text) => renderTitle(text, false),
      (text) => renderTitle(text, true),
      stripUnsafe,
      renderTermName,
      singleLine,
    ]
    fc.assert(
      fc.property(anyHtml, (text) => {
        for (const render of renderings) equal(render(render(text)), render(text))
        const rendered = renderText(stripUnsafe(text), true)
        equal(renderText(rendered, true), rendered)
      }),
      { numRuns: rounds(50) },
    )
  })

  test('is rendered for trusted authors and read as plain text without failing', () => {
    fc.assert(
      fc.property(anyHtml, (text) => {
        equal(typeof renderText(text, true), 'string')
        doesNotMatch(plainText(text), /[\n\t]|^\s|\s$/)
      }),
      { numRuns: rounds(50) },
    )
  })
})
