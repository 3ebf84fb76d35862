import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { type ManifestDocument, parseDocuments, readDocuments } from '../../../../src/cli/input/documents.ts'
import { UsageError } from '../../../../src/cli/command-line.ts'
import { readTexts } from '../../../../src/cli/input/texts.ts'

const pool = 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: p }\n'

/** `kind/name line` for what parses, else what is wrong and where. */
function told({ content, locate }: ManifestDocument): string {
  if (content.kind === 'object')
    return `${String(content.object.kind)}/${String(content.object.metadata?.name)} ${locate([]).line}`
  return content.problems.map(({ message, line, column }) => `${line}:${column} ${message}`).join('; ')
}

describe('standard input', () => {
  const read = (text: string, ...more: readonly 'may be empty'[]) =>
    readDocuments(['-'], { cwd: '.', stdin: Readable.from([Buffer.from(text)]) }, ...more)

  test.each([
    ['nothing', ''],
    ['blank lines', '\n  \r\n'],
    ['comments and separators', '# kustomize failed\n---\n--- \n  # nothing'],
  ])('of %s is refused, unless it may be empty', async (_what, text) => {
    await expect(read(text)).rejects.toThrow('-: standard input holds no document')
    expect(await read(text, 'may be empty')).toEqual([])
  })

  test.each([
    ['a list without items, as of an empty cluster', '{"kind":"List","apiVersion":"v1","items":[]}'],
    ['a document after comments', `# pools\n---\n${pool}`],
    ['a document on the line of its separator', '--- {kind: A}'],
  ])('of %s is taken', async (_what, text) => {
    await expect(read(text)).resolves.toBeInstanceOf(Array)
  })
})

describe('text as editors and tools leave it', () => {
  const cases: Record<string, [text: string, want: readonly string[]]> = {
    'nothing at all': ['', []],
    'separators and comments': ['---\n---\n# nothing\n---\n', []],
    'a byte order mark': [`\u{feff}${pool}`, ['NodePool/p 1']],
    'a byte order mark before each of several documents': [
      `\u{feff}${pool}---\n\u{feff}${pool}--- # one more\r\n\u{feff}kind: A\nkind: B\n`,
      ['NodePool/p 1', 'NodePool/p 5', '10:1 the key kind comes twice: only one of them would count'],
    ],
    'a byte order mark, which is no column': [
      '\u{feff}{ kind: A, kind: B }\n',
      ['1:12 the key kind comes twice: only one of them would count'],
    ],
    'a byte order mark that does not begin a document': [
      '---\n# a comment\n\u{feff}kind: A\n',
      ['3:1 a byte order mark is a part of the first key here: remove it'],
    ],
    'line ends of Windows, and two documents': [
      `${pool}---\n${pool}`.replaceAll('\n', '\r\n'),
      ['NodePool/p 1', 'NodePool/p 5'],
    ],
    'an anchor and its alias': ['kind: &k NodePool\nmetadata: { name: *k }\n', ['NodePool/NodePool 1']],
    'tabs in JSON': ['{\n\t"kind": "NodePool",\n\t"metadata": {"name": "p"}\n}\n', ['NodePool/p 1']],
    'tabs in YAML': ['kind: NodePool\nmetadata:\n\tname: p\n', ['3:1 Tabs are not allowed as indentation']],
    'a key that comes twice': [
      'kind: NodePool\nkind: Pod\n',
      ['2:1 the key kind comes twice: only one of them would count'],
    ],
    'a member that comes twice': [
      '{"kind": "NodePool",\n "kind": "Pod"}',
      ['2:2 the key "kind" comes twice: only one of them would count'],
    ],
    'a template that was not rendered': [
      'kind: NodePool\nmetadata:\n  name: {{ .Values.name }}\n',
      ['3:10 a key must be text, not a collection; render templates first'],
    ],
    'a template with much that was not rendered': [
      'kind: NodePool\nmetadata:\n  name: {{ .Values.name }}\n  labels:\n    a: {{ .Values.a }}\n',
      ['3:10 a key must be text, not a collection; render templates first'],
    ],
    'a file that is no YAML at all': [
      `${'resource "kubectl_manifest" "pool" {\n  yaml_body = <<-YAML\n    kind: NodePool\n  YAML\n}\n'.repeat(50)}`,
      [expect.stringMatching(/^1:1 [^;]*; [^;]*; [^;]*; and \d+ more, which may follow from these$/)],
    ],
    'what looks like a template on the line before': [
      'kind: A\nmetadata: # {{ b }}\n\tname: p\nc: d\n',
      ['3:1 Tabs are not allowed as indentation; render templates first'],
    ],
    'what looks like a template on other lines': [
      'kind: A\na: "{{ b }}"\nmetadata:\n\tname: p\nc: "{{ b }}"\n',
      ['4:1 Tabs are not allowed as indentation'],
    ],
    'three things that the parser says, which are all told': [
      '{"a": 1}\n[1]\n',
      [expect.stringMatching(/^2:1 [^;]*; 2:2 [^;]*; 2:3 [^;]*$/)],
    ],
    'a fourth, which is counted': [
      '{"a": 1}\n[1]]\n',
      [expect.stringMatching(/^2:1 [^;]*; 2:2 [^;]*; 2:3 [^;]*; and 1 more, which may follow from these$/)],
    ],
    'a block of a template that was not rendered': [
      'kind: NodePool\nmetadata:\n  name: a\n{{- range .Values.pools }}\n  labels: {{ .labels }}\n{{- end }}\n',
      [expect.stringMatching(/^4:1 .*; render templates first$/)],
    ],
    'a character that no manifest may have': [
      `${pool}---\nkind: NodePool\nmetadata: { name: "a\u001f" }\n`,
      ['NodePool/p 1', '6:21 the control character U+001F is not allowed'],
    ],
    'a key that is a list, by an alias': [
      'kind: A\nx: &l [1]\nmetadata:\n  *l : 1\n',
      ['4:3 a key must be text, not a collection'],
    ],
    'a value without a key': ['kind: A\nmetadata: { ~: x }\n', ['2:13 a key is missing']],
    'a number that is none': ['kind: A\nspec: { weight: .nan }\n', ['2:17 this number has no place in JSON']],
    'a list at the top': ['[1, 2]', ['1:1 a manifest must be a mapping of fields']],
    'a list of manifests': [
      '- op: test\n- kind: A\n  apiVersion: v1\n',
      ['2:3 no tool reads a list of manifests: make them the items of a List (kind: List), or documents of their own'],
    ],
    'an alias to what it stands in': [
      'kind: A\nmetadata: &m { name: x, m: *m }\n',
      ['2:28 the alias *m stands for something that it is part of'],
    ],
    'a merge of what it stands in': [
      'kind: A\nmetadata: &m\n  name: x\n  labels: { <<: *m }\n',
      ['4:17 the alias *m stands for something that it is part of'],
    ],
    'an alias to the latest of two anchors of one name, which is over': [
      'kind: A\nmetadata: &m { name: &m x, labels: { a: *m } }\n',
      ['A/x 1'],
    ],
    'one alias in very many places': [
      `kind: A\nx: &x v\nmetadata: { name: a }\nspec: [${Array.from({ length: 500 }, () => '*x').join()}]\n`,
      ['A/a 1'],
    ],
    'aliases that multiply': [
      Array.from(
        { length: 10 },
        (_, level) =>
          `a${level}: &a${level} [${Array.from({ length: 9 }, () => (level === 0 ? 'x' : `*a${level - 1}`)).join()}]`,
      ).join('\n'),
      ['1:1 its aliases stand for more than 1000000 values'],
    ],
    'aliases without an anchor, or with one that comes later or stands in another document': [
      'kind: A\nx: *later\ny: &later [1]\nz: [*later, *gone]\n---\nkind: B\nx: *later\n',
      [
        '2:4 the alias *later has no anchor &later before it; 4:13 the alias *gone has no anchor &gone before it',
        '7:4 the alias *later has no anchor &later before it',
      ],
    ],
    'a List, its items each for itself': [
      'kind: List\nitems:\n- kind: A\n  metadata: { name: a }\n- 5\n- null\n',
      ['A/a 3', '5:3 items[1] must be a mapping of fields', '6:3 items[2] must be a mapping of fields'],
    ],
    'a list that says what it is of, and its items do not': [
      'apiVersion: v1\nkind: PodList\nitems:\n- metadata: { name: a }\n- kind: B\n  metadata: { name: b }\n',
      ['Pod/a 4', 'B/b 5'],
    ],
    'a List of what has no kind': ['apiVersion: v1\nkind: List\nitems:\n- metadata: { name: a }\n', ['undefined/a 4']],
    'a List in a List': [
      'kind: List\nitems:\n- kind: List\n  items:\n  - kind: A\n    metadata: { name: a }\n  - 5\n- kind: B\n',
      ['A/a 5', '7:5 items[1] must be a mapping of fields', 'B/undefined 8'],
    ],
  }
  test.each(Object.entries(cases))('%s', (_name, [text, want]) => {
    expect(parseDocuments('x.yaml', text).map(told)).toEqual(want)
  })

  test.each([']'.repeat(50_000), ''])('nesting without end is told once', (end) => {
    const [document] = parseDocuments('x.json', `${'['.repeat(50_000)}${end}`)
    expect(document === undefined ? '' : told(document)).toMatch(/^1:\d+ nested too deeply$/)
  })

  test('bytes that are no text', () => {
    const noise = Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 48_271) % 256)).toString('utf8')
    const kinds = parseDocuments('x.yaml', noise).map(({ content }) => content.kind)
    expect(new Set(kinds)).toEqual(new Set(['unreadable']))
  })
})

test('what an alias or a merge key stands for is found where it is written', () => {
  const text =
    'x: &x\n  weight: 1\ny: &y { <<: *x, limits: &z { cpu: 1 } }\nspec: *y\nmore: { <<: [*x] }\nmost: { <<: [*z, *x] }\n'
  const [document] = parseDocuments('x.yaml', text)
  expect(document?.locate(['spec', 'limits', 'cpu'])).toEqual({ line: 3, column: 30 })
  expect(document?.locate(['spec', 'weight'])).toEqual({ line: 2, column: 3 })
  expect(document?.locate(['more', 'weight'])).toEqual({ line: 2, column: 3 })
  expect(document?.locate(['most', 'weight'])).toEqual({ line: 2, column: 3 })
  expect(document?.locate(['spec', 'gone'])).toEqual({ line: 4, column: 1 })
})

test('what is not there is told where the nearest parent is, not where something else has its name', () => {
  const [document] = parseDocuments('x.yaml', 'kind: A\nspec:\n  limits:\n    weight: 1\n  list: [{ weight: 2 }]\n')
  expect(document?.locate(['spec', 'weight'])).toEqual({ line: 2, column: 1 })
  expect(document?.locate(['spec', 'limits', 'weight', 'unit'])).toEqual({ line: 4, column: 5 })
  expect(document?.locate(['spec', 'list', 'weight'])).toEqual({ line: 5, column: 3 })
  expect(document?.locate(['spec', 'list', 1])).toEqual({ line: 5, column: 3 })
})

test('a mapping of very many keys takes no longer than its text', () => {
  const keys = Array.from({ length: 60_000 }, (_, index) => `  key${index}: v\n`).join('')
  const text = `kind: ConfigMap\nmetadata: { name: c }\ndata:\n${keys}  key7: again\n`
  // Comparing each key with all others took more than a minute.
  expect(parseDocuments('x.yaml', text).map(told)).toEqual([
    '60004:3 the key key7 comes twice: only one of them would count',
  ])
}, 20_000)

test('a recorded cluster is read as the JSON that it is, also where a shell of Windows has saved it', () => {
  const text = JSON.stringify({ kind: 'A', metadata: { name: 'a', long: 'x'.repeat(2 ** 20) } })
  const places = [text, `\u{feff}${text}`].map((whole) => parseDocuments('x.json', whole)[0]?.locate(['metadata']))
  expect(places).toEqual([
    { line: 1, column: 24 },
    { line: 1, column: 24 },
  ])
})

test('long JSON that is no object is told for what it is', () => {
  const long = 'x'.repeat(2 ** 20)
  const read = (value: unknown) => parseDocuments('x.json', JSON.stringify(value)).map(told)
  expect(read([long])).toEqual(['1:1 a manifest must be a mapping of fields'])
  expect(read([{ kind: 'A', apiVersion: 'v1', long }])).toEqual([
    '1:2 no tool reads a list of manifests: make them the items of a List (kind: List), or documents of their own',
  ])
})

test('documents are counted from 0, with empty ones; those of a List have its number', () => {
  const numbers = (text: string) => parseDocuments('x.yaml', text).map(({ index }) => index)
  expect(numbers(`${pool}---\n# nothing\n---\n${pool}---\na: b\na: c\n---\n[1]\n`)).toEqual([0, 2, 3, 4])
  expect(numbers(`${pool}---\nkind: List\nitems: [{ kind: A }, 5]\n`)).toEqual([0, 1, 1])
  expect(numbers(JSON.stringify({ kind: 'A', long: 'x'.repeat(2 ** 20) }))).toEqual([0])
})

describe('a stream of JSON values, as kubectl reads it', () => {
  test('is a document each, with the places they have in the file', () => {
    const text = '{"kind":"A","metadata":{"name":"}{"}}\n\n  {"kind":"B",\n"metadata":{"name":"b"}}{"kind":"C"}'
    const documents = parseDocuments('x.json', text)
    expect(documents.map(told)).toEqual(['A/}{ 1', 'B/b 3', 'C/undefined 4'])
    expect(documents.map(({ index, locate }) => [index, locate(['kind'])])).toEqual([
      [0, { line: 1, column: 2 }],
      [1, { line: 3, column: 4 }],
      [2, { line: 4, column: 26 }],
    ])
  })

  test('begins and ends its values at brackets outside of texts', () => {
    const text = ' {"kind":"A","metadata":{"name":"}}\\"}}"}}{"kind":"B","metadata":{"name":"b"}}'
    expect(parseDocuments('x.json', text).map(told)).toEqual(['A/}}"}} 1', 'B/b 1'])
  })

  test('with a value that does not parse loses that one only', () => {
    const text = '{"kind":"A","metadata":{"name":"a"}}\n{"kind":"B","kind":"C"}\n{"kind":"D","metadata":{"name":"d"}}'
    expect(parseDocuments('x.json', text).map(told)).toEqual([
      'A/a 1',
      '2:13 the key "kind" comes twice: only one of them would count',
      'D/d 3',
    ])
  })

  test('that breaks off is one document that does not parse', () => {
    expect(parseDocuments('x.json', '{"kind":"A"}\n{"kind":"B"').map(told)).toHaveLength(1)
  })
})

/** Nothing is forbidden to root, who has to be somebody else for it. What is read is read before this returns. */
function asNobody<T>(read: () => T): T {
  if (process.geteuid?.() !== 0) return read()
  process.seteuid?.(65_534)
  try {
    return read()
  } finally {
    process.seteuid?.(0)
  }
}

describe('folders', () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })

  function aFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'joinery-documents-'))
    folders.push(folder)
    return folder
  }

  const read = async (cwd: string, names: readonly string[]) =>
    (await readDocuments(names, { cwd, stdin: Readable.from([]) })).map((one) => `${one.file} ${told(one)}`)

  test('are read in the order of names, whatever else is in them', async () => {
    const folder = aFolder()
    mkdirSync(join(folder, 'inner'))
    for (const name of ['b.yaml', 'a.yml', 'inner/c.json', 'README.md'])
      writeFileSync(join(folder, name), name.endsWith('.json') ? '{"kind":"C","metadata":{"name":"c"}}' : pool)
    // In a circle, and to a folder under the name of a manifest.
    symlinkSync('.', join(folder, 'inner/self'))
    symlinkSync('..', join(folder, 'inner/up.yaml'))
    symlinkSync('../b.yaml', join(folder, 'inner/link.yaml'))
    expect(await read(folder, ['.'])).toEqual([
      'a.yml NodePool/p 1',
      'b.yaml NodePool/p 1',
      'inner/c.json C/c 1',
      'inner/link.yaml NodePool/p 1',
    ])
  })

  test('without a manifest are refused, as by kubectl, unless they may be empty', async () => {
    const folder = aFolder()
    mkdirSync(join(folder, 'pools/.hidden'), { recursive: true })
    for (const name of ['README.md', '.hidden/a.yaml']) writeFileSync(join(folder, 'pools', name), pool)
    const options = { cwd: folder, stdin: Readable.from([]) }
    const why = 'pools: holds no manifest, no file whose name ends in .yaml, .yml or .json'
    await expect(readDocuments(['pools'], options)).rejects.toThrow(why)
    await expect(readTexts(['pools'], options)).rejects.toThrow(why)
    expect(await readDocuments(['pools'], options, 'may be empty')).toEqual([])
  })

  test('and files are refused where there is no document in any of them', async () => {
    const folder = aFolder()
    mkdirSync(join(folder, 'pools'))
    for (const [name, text] of [
      ['pools/a.yaml', ''],
      ['b.yaml', '# all of it is a comment\n---\n'],
      ['c.yaml', pool],
      ['d.yaml', 'kind: List\nitems: []\n'],
    ] as const)
      writeFileSync(join(folder, name), text)
    const why = 'no document in it: has what was to write it failed?'
    await expect(read(folder, ['pools'])).rejects.toThrow(`pools: ${why}`)
    await expect(read(folder, ['pools', 'b.yaml'])).rejects.toThrow(`pools, b.yaml: ${why}`)
    expect(await read(folder, ['pools', 'b.yaml', 'c.yaml'])).toEqual(['c.yaml NodePool/p 1'])
    expect(await read(folder, ['b.yaml', 'd.yaml'])).toEqual([])
    const options = { cwd: folder, stdin: Readable.from([]) }
    expect(await readDocuments(['b.yaml'], options, 'may be empty')).toEqual([])
  })

  test('and files have names, and standard input is read once', async () => {
    const options = { cwd: aFolder(), stdin: Readable.from([]) }
    writeFileSync(join(options.cwd, 'a.yaml'), pool)
    for (const read of [readDocuments, readTexts]) {
      await expect(read(['a.yaml', ''], options)).rejects.toThrow(
        new UsageError('the name of a file is empty: is a variable unset?'),
      )
      await expect(read(['-', 'a.yaml', '-'], options)).rejects.toThrow(new UsageError('standard input is named twice'))
    }
  })

  test('of tools are passed over, unless they are named; a mounted ConfigMap holds each file once', async () => {
    const folder = aFolder()
    for (const inner of ['.github/workflows', '..2026_01_01']) mkdirSync(join(folder, inner), { recursive: true })
    writeFileSync(join(folder, '.github/workflows/check.yaml'), 'on: push')
    writeFileSync(join(folder, '.hidden.yaml'), pool)
    writeFileSync(join(folder, '..2026_01_01/pool.yaml'), pool)
    symlinkSync('..2026_01_01', join(folder, '..data'))
    symlinkSync('..data/pool.yaml', join(folder, 'pool.yaml'))
    expect(await read(folder, ['.'])).toEqual(['.hidden.yaml NodePool/p 1', 'pool.yaml NodePool/p 1'])
    expect(await read(folder, ['..data'])).toEqual(['..data/pool.yaml NodePool/p 1'])
  })

  test('hold UTF-8, or UTF-16 that says so; anything else is told', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'a.yaml'), `\u{feff}${pool}`, 'utf16le')
    writeFileSync(join(folder, 'b.yaml'), Buffer.from(`\u{feff}${pool}`, 'utf16le').swap16())
    writeFileSync(join(folder, 'c.yaml'), Buffer.concat([Buffer.from(pool), Buffer.from([0xff, 0x0a])]))
    const told = ['a.yaml NodePool/p 1', 'b.yaml NodePool/p 1', 'c.yaml 4:1 is not text: some bytes are no UTF-8']
    expect(await read(folder, ['.'])).toEqual(told)
    // As a hook names those that have changed.
    expect(await read(folder, ['c.yaml', 'a.yaml'])).toEqual([told[2], told[0]])
  })

  test.each([
    ['\r', 'NodePool/p 1; EC2NodeClass/c 5'],
    ['\r\r\n', 'NodePool/p 1; EC2NodeClass/c 9'],
  ])('a line ends by a carriage return alone, too: %j', async (lineEnd, want) => {
    const folder = aFolder()
    writeFileSync(
      join(folder, 'a.yaml'),
      `${pool}---\nkind: EC2NodeClass\nmetadata: { name: c }\n`.replaceAll('\n', lineEnd),
    )
    expect(await read(folder, ['.'])).toEqual(want.split('; ').map((one) => `a.yaml ${one}`))
  })

  test('a comment in Latin-1 is told where it is', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'a.yaml'), Buffer.from(`${pool}# caf\u00e9\n`, 'latin1'))
    writeFileSync(join(folder, 'b.yaml'), Buffer.from('\u{feff}kind: A\n# \ud800\n', 'utf16le'))
    expect(await read(folder, ['.'])).toEqual([
      'a.yaml 4:6 is not text: some bytes are no UTF-8',
      'b.yaml 2:3 is not text: some bytes are no UTF-16LE',
    ])
  })

  test('a file that alone is named and is no text is a document that does not parse', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'a.yaml'), Buffer.from([0x6b, 0xff]))
    const [document, ...more] = await readDocuments(['a.yaml'], { cwd: folder, stdin: Readable.from([]) })
    expect(document).toMatchObject({
      index: 0,
      content: { problems: [{ line: 1, column: 2, message: 'is not text: some bytes are no UTF-8' }], isPatch: false },
    })
    expect(more).toEqual([])
  })

  test('a file in one that cannot be read is told of beside the others; one that is named must be there', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'b.yaml'), pool)
    symlinkSync('nowhere', join(folder, 'a.yaml'))
    expect(await read(folder, ['.'])).toEqual(['a.yaml 1:1 no such file or folder', 'b.yaml NodePool/p 1'])
    await expect(read(folder, ['c.yaml'])).rejects.toThrow('c.yaml: no such file or folder')
  })

  test('a file of more than half a gigabyte is told of, and not read', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'a.yaml'), pool)
    writeFileSync(join(folder, 'b.yaml'), '')
    truncateSync(join(folder, 'b.yaml'), 2 ** 29 + 1)
    expect(await read(folder, ['.'])).toEqual(['a.yaml NodePool/p 1', 'b.yaml 1:1 larger than 536870912 bytes'])
  })

  test('a link to itself is told of beside the others', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'b.yaml'), pool)
    symlinkSync('a.yaml', join(folder, 'a.yaml'))
    expect(await read(folder, ['.'])).toEqual(['a.yaml 1:1 too many levels of symbolic links', 'b.yaml NodePool/p 1'])
    await expect(read(folder, ['a.yaml'])).rejects.toThrow('a.yaml: too many levels of symbolic links')
  })

  test.skipIf(process.platform === 'win32')(
    'what is forbidden is told of beside the others, and is not called missing',
    async () => {
      const folder = aFolder()
      chmodSync(folder, 0o755)
      for (const name of ['secret', 'seen']) {
        mkdirSync(join(folder, name))
        writeFileSync(join(folder, name, 'a.yaml'), pool)
      }
      for (const [path, mode] of [
        ['secret', 0o000],
        ['seen', 0o644],
      ] as const)
        chmodSync(join(folder, path), mode)
      mkdirSync(join(folder, 'then'))
      writeFileSync(join(folder, 'then', 'a.yaml'), pool)
      expect(await asNobody(() => read(folder, ['.']))).toEqual([
        'secret 1:1 permission denied',
        'seen/a.yaml 1:1 permission denied',
        'then/a.yaml NodePool/p 1',
      ])
      await expect(asNobody(() => read(folder, ['secret/a.yaml']))).rejects.toThrow('secret/a.yaml: permission denied')
      await expect(asNobody(() => read(folder, ['secret']))).rejects.toThrow('secret: permission denied')
      for (const path of ['secret', 'seen']) chmodSync(join(folder, path), 0o755)
    },
  )

  test('every one that cannot be read is told of where none may be missing', async () => {
    const folder = aFolder()
    for (const name of ['a', 'b']) symlinkSync('nowhere', join(folder, `${name}.yaml`))
    writeFileSync(join(folder, 'c.yaml'), pool)
    const texts = readTexts(['.', 'd.yaml'], { cwd: folder, stdin: Readable.from([]) })
    const why = 'no such file or folder'
    await expect(texts).rejects.toMatchObject({ lines: [`a.yaml: ${why}`, `b.yaml: ${why}`, `d.yaml: ${why}`] })
  })
})

test('a signal ends the reading of standard input, which may stay open for ever', async () => {
  const stop = new AbortController()
  const stdin = new PassThrough()
  stdin.write(pool)
  const documents = readDocuments(['-'], { cwd: '/', stdin, signal: stop.signal })
  stop.abort(new Error('interrupted'))
  await expect(documents).rejects.toThrow('interrupted')
  expect(stdin.destroyed).toBe(true)
})
