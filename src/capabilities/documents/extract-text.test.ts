import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { Failure } from '#contract/errors.js'
import type { Document } from './document.js'
import { createTextExtraction, documentBytesMax } from './extract-text.js'
import { readDocument } from './read-document.js'

const extractText = createTextExtraction()

const zip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))

const failsWith = (code: string, said: RegExp) => (error: unknown) =>
  error instanceof Failure && error.status === 400 && error.code === code && said.test(error.message)

/** A PDF with one page per content; readers find the objects although there is no table of them. */
const pdf = (...contents: (string | Buffer)[]): Buffer => {
  const kids = contents.map((_, index) => `${10 + 2 * index} 0 R`).join(' ')
  const head = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>endobj
3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
`
  const pages = contents.map((content, index) => {
    const page = 10 + 2 * index
    const box = '/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>'
    const filter = Buffer.isBuffer(content) ? '/Filter/FlateDecode' : ''
    return Buffer.concat([
      Buffer.from(`${page} 0 obj<</Type/Page/Parent 2 0 R${box}/Contents ${page + 1} 0 R>>endobj\n`),
      Buffer.from(`${page + 1} 0 obj<</Length ${content.length}${filter}>>stream\n`),
      Buffer.from(content),
      Buffer.from('\nendstream endobj\n'),
    ])
  })
  return Buffer.concat([Buffer.from(head), ...pages, Buffer.from('trailer<</Root 1 0 R>>\n%%EOF')])
}
const pageSaying = (...lines: string[]) =>
  `BT /F1 12 Tf 72 700 Td ${lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ')} ET`

const relations = (...targets: [id: string, target: string, type?: string][]) =>
  `<Relationships>${targets
    .map(([id, target, type = 'part']) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

const docx = (body: string, more: Record<string, string> = {}) =>
  zip({
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...more,
  })
const paragraph = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

test('a PDF gives the lines of its pages in order', async () => {
  const bytes = pdf(pageSaying('First page', 'second line'), deflateSync(pageSaying('Page two')))
  assert.equal(await extractText({ bytes }), 'First page\nsecond line\n\nPage two\n\n')
})

test('a DOCX gives paragraphs, lists, tables and notes', async () => {
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
  const bytes = docx(
    [
      '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>Fish &amp; chips</w:t><w:tab/><w:t>£5</w:t></w:r></w:p>',
      '<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>listed</w:t><w:br/><w:t>below</w:t></w:r></w:p>',
      `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('c')}${cell('d')}</w:tr></w:tbl>`,
      '<w:p><w:r><w:delText>removed</w:delText></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>',
      `<mc:AlternateContent><mc:Choice>${paragraph('box')}</mc:Choice><mc:Fallback>${paragraph('box')}</mc:Fallback></mc:AlternateContent>`,
    ].join(''),
    { 'word/footnotes.xml': `<w:footnotes>${paragraph('a note')}</w:footnotes>` },
  )
  const text = await extractText({ bytes, filename: 'menu.docx' })
  assert.equal(text, 'Fish & chips\t£5\n- listed\nbelow\na \tb\nc \td\n\nbox\n\na note\n\n')
})

test('a PPTX gives its slides in the order of the show, with notes', async () => {
  const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`
  const bytes = zip({
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations(['r1', 'slides/slide1.xml'], ['r2', '/ppt/slides/slide2.xml']),
    'ppt/slides/slide1.xml': slide('shown last'),
    'ppt/slides/slide2.xml': slide('shown first'),
    'ppt/slides/_rels/slide1.xml.rels': relations(['n', '../notesSlides/notesSlide1.xml', 'notesSlide']),
    'ppt/notesSlides/notesSlide1.xml': `<p:notes>${slide('say thanks')}<a:fld><a:t>2</a:t></a:fld></p:notes>`,
  })
  assert.equal(await extractText({ bytes }), 'Slide 1\nshown first\n\nSlide 2\nshown last\nNotes: say thanks\n\n')
})

test('an XLSX gives sheets by name, cells between tabs in their columns, dates as dates', async () => {
  const bytes = zip({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Sales &amp; Co" sheetId="1" r:id="r1"/><sheet name="Empty" sheetId="2" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations(['r1', 'worksheets/sheet1.xml'], ['r2', 'worksheets/sheet2.xml']),
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><r><t>An</t></r><r><t>na</t></r><rPh><t>x</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>
      <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>When</t></is></c><c r="D1" t="str"><f>1+1</f><v>two</v></c></row>
      <row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>45292</v></c><c r="C2" s="2"><v>45292.5</v></c><c r="D2"><v>1.5</v></c><c r="E2" t="b"><v>1</v></c></row>
      <row><c t="str"><v>a</v></c><c/><c t="str"><v>c</v></c></row>
    </sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
  })
  assert.equal(
    await extractText({ bytes, contentType: 'application/octet-stream' }),
    'Sheet: Sales & Co\nName\tWhen\t\ttwo\nAnna\t2024-01-01\t2024-01-01 12:00:00\t1.5\tTRUE\na\t\tc\n\n',
  )
})

test('an EPUB gives its chapters in reading order', async () => {
  const bytes = zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf':
      '<package><manifest><item id="b" href="b%20two.xhtml"/><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'OPS/a.xhtml': '<html><head><title>T</title></head><body><h1>One</h1><p>It was\n night.</p></body></html>',
    'OPS/b two.xhtml': '<html><body><p>The end.</p></body></html>',
  })
  assert.equal(await extractText({ bytes, filename: 'book.epub' }), 'One\n\nIt was night.\n\nThe end.\n\n')
})

test('HTML gives what a reader sees, not scripts or styles', async () => {
  const page = `<!DOCTYPE html [<!ENTITY x "no">]><html><head><style>p > a {}</style></head><body>
    <script>if (1 < 2) document.write("<p>no</p>")</script><!-- <p>no</p> --><h1>Title</h1>
    <ul><li>one</li><li>two <b>bold</b></li></ul><p>5 &lt; 6 &#8364; &x; &eacute;</p><pre>a\n  b</pre>
    <table><tr><td>x</td><td>y</td></tr></table></body></html>`
  assert.equal(
    await extractText({ bytes: Buffer.from(page), filename: 'page.html' }),
    'Title\n\n- one\n- two bold\n\n5 < 6 € &x; é\n\na\n  b\n\nx\ty\n\n',
  )
  const untouched = await extractText({
    bytes: Buffer.from('<p>x</p>'),
    filename: 'page.php',
    contentType: 'text/html',
  })
  assert.equal(untouched, '<p>x</p>')
})

test('text of any kind passes as it is, whatever type is declared', async () => {
  const texts: [string, string][] = [
    ['a.csv', 'a,b\r\n1,2\r\n'],
    ['a.md', '# Title'],
    ['a.json', '{"a": 1}'],
    ['a.py', 'print("<p>")'],
    ['a.unheard', 'größer 数 🎉'],
  ]
  for (const [filename, text] of texts) {
    const bytes = Buffer.from(text)
    assert.equal(await extractText({ bytes, filename, contentType: 'application/octet-stream' }), text)
  }
})

test('UTF-16 and byte order marks are understood', async () => {
  const little = Buffer.from('\ufeffhéllo', 'utf16le')
  const big = Buffer.from(little).swap16()
  for (const bytes of [little, big, Buffer.from('\ufeffhéllo')]) assert.equal(await extractText({ bytes }), 'héllo')
})

test('a file without text is told so', async () => {
  const empty = [Buffer.from(''), Buffer.from(' \n'), pdf('0 0 100 100 re f'), docx(paragraph(' '))]
  for (const bytes of empty)
    await assert.rejects(
      extractText({ bytes, place: 'messages.0.content.1' }),
      failsWith('NO_TEXT_FOUND', /^messages\.0/),
    )
})

test('legacy Office files are told which format to send', async () => {
  const bytes = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
  const legacy = (filename: string) => extractText({ bytes, filename })
  await assert.rejects(legacy('a.xls'), failsWith('UNSUPPORTED_FILE', /legacy XLS format; convert it to XLSX/))
  await assert.rejects(legacy('a.doc'), failsWith('UNSUPPORTED_FILE', /legacy DOC format; convert it to DOCX/))
  const locked = Buffer.concat([bytes, Buffer.from('EncryptedPackage', 'utf16le')])
  await assert.rejects(extractText({ bytes: locked }), failsWith('UNREADABLE_FILE', /password/))
})

test('what is damaged, unknown or too large is told what is wrong with it', async () => {
  const noise = Buffer.from([0x89, 0x00, 0xff, 0xfe, 0x01])
  const cases: [Document, string, RegExp][] = [
    [{ bytes: noise, filename: 'a.bin' }, 'UNSUPPORTED_FILE', /not in a format/],
    [{ bytes: noise, filename: 'a.pdf' }, 'UNREADABLE_FILE', /not a PDF/],
    [{ bytes: Buffer.from('%PDF-1.4 and nothing') }, 'UNREADABLE_FILE', /not a PDF/],
    [{ bytes: zip({ 'a.txt': 'x' }) }, 'UNSUPPORTED_FILE', /archive/],
    [{ bytes: Buffer.from('PK\x03\x04 broken') }, 'UNREADABLE_FILE', /zip archive/],
    [{ bytes: zip({ 'META-INF/container.xml': '<x/>' }) }, 'UNREADABLE_FILE', /EPUB/],
    [{ bytes: Buffer.alloc(documentBytesMax + 1, 32) }, 'FILE_TOO_LARGE', /25 MB/],
  ]
  for (const [document, code, said] of cases) await assert.rejects(extractText(document), failsWith(code, said))
})

test('a zip that unfolds into far too much is not unfolded', async () => {
  const bomb = Buffer.from(docx(paragraph('x')))
  // What the archive says about the size of its first file.
  bomb.writeUInt32LE(160_000_000, bomb.indexOf('PK\x01\x02') + 24)
  await assert.rejects(extractText({ bytes: bomb }), failsWith('UNREADABLE_FILE', /unfolds/))
  const wide = `<row><c r="XFD1" t="str"><v>x</v></c></row>`.repeat(1000)
  const tabs = zip({
    'xl/workbook.xml': '<workbook><sheet name="a" r:id="r"/></workbook>',
    'xl/_rels/workbook.xml.rels': relations(['r', 'worksheets/a.xml']),
    'xl/worksheets/a.xml': wide,
  })
  await assert.rejects(extractText({ bytes: tabs }), failsWith('UNREADABLE_FILE', /10000000 characters/))
})

test('a PDF that unfolds into gigabytes is left, and does not take the process with it', async () => {
  const bytes = pdf(deflateSync(Buffer.alloc(140_000_000, ' ')))
  await assert.rejects(extractText({ bytes }), failsWith('UNREADABLE_FILE', /./))
})

test('a document that takes too long is left, and others are read afterwards', async () => {
  const late = new AbortController()
  const impatient = createTextExtraction({ threadsMax: 1, deadline: () => late.signal })
  const slow = impatient({ bytes: pdf(pageSaying('slow')) })
  late.abort()
  await assert.rejects(slow, failsWith('UNREADABLE_FILE', /too much time/))
  const patient = createTextExtraction({ threadsMax: 1 })
  const texts = await Promise.all([1, 2, 3].map((n) => patient({ bytes: docx(paragraph(`number ${n}`)) })))
  assert.deepEqual(
    texts.map((text) => text.trim()),
    ['number 1', 'number 2', 'number 3'],
  )
})

test('who leaves while waiting or reading is let go, and beyond the queue is told to retry', async () => {
  const narrow = createTextExtraction({ threadsMax: 1, waitingMax: 1 })
  const bytes = docx(paragraph('x'))
  const leaving = new AbortController()
  const left = Promise.allSettled([1, 2].map(() => narrow({ bytes, signal: leaving.signal })))
  await assert.rejects(narrow({ bytes }), (error: unknown) => error instanceof Failure && error.status === 503)
  leaving.abort(new Error('left'))
  for (const outcome of await left) assert.match(String(outcome.status === 'rejected' && outcome.reason), /left/)
  assert.equal((await narrow({ bytes })).trim(), 'x')
})

test('truncated and random files end in text or in a problem that has a name', async () => {
  const whole = [pdf(pageSaying('hello')), docx(paragraph('hello')), Buffer.from('<p>a<b c="d">&amp;</p>')]
  const cut = fc.tuple(fc.constantFrom(...whole), fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % bytes.length))
  const flipped = fc
    .tuple(
      fc.constantFrom(...whole),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 }),
    )
    .map(([bytes, changes]) => {
      const copy = Uint8Array.from(bytes)
      for (const [at, value] of changes) copy[at % copy.length] = value
      return copy
    })
  const marks = [Buffer.from('%PDF-1.7\n'), Buffer.from('PK\x03\x04'), Buffer.from('\xff\xfe', 'latin1')]
  const random = fc
    .tuple(fc.constantFrom(...marks), fc.uint8Array({ maxLength: 300 }))
    .map(([mark, rest]) => Buffer.concat([mark, rest]))
  const names = fc.constantFrom('a.pdf', 'a.html', 'a.docx', 'a', undefined)
  await fc.assert(
    fc.asyncProperty(fc.oneof(cut, flipped, random), names, async (bytes, filename) => {
      try {
        assert.equal(typeof (await readDocument({ bytes, filename })), 'string')
      } catch (error) {
        assert.equal((error as Error).name, 'DocumentProblem', String((error as Error).stack))
      }
    }),
    { numRuns: 400 },
  )
})
