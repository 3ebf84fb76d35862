import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { type ExitCode, print, type Terminal, UsageError } from '../command-line.ts'
import { countText } from '../count-text.ts'
import { readTexts } from '../input/texts.ts'
import { filenameOption } from '../input/option-values.ts'
import type { CommandFactory } from '../main.ts'
import { type DataFormat, isDataFormat, outputOption, printData } from '../output-format.ts'
import { printableText } from '../table.ts'
import { uninterrupted } from '../uninterrupted.ts'
import { type ConvertedFile, convertFiles } from './convert-text.ts'
import type { ConversionRemark } from './open-file.ts'
import { reportsOf } from './report.ts'

interface ConvertOptions {
  readonly filename: readonly string[]
  readonly inPlace: boolean
  readonly strict: boolean
  readonly output: 'text' | DataFormat
}

export const convertCommand: CommandFactory = (terminal, exit) =>
  new Command('convert')
    .description("bring manifests for Karpenter's older APIs to v1, comments and key order kept")
    .argument('[file...]', 'files or folders, `-` for standard input')
    .addOption(filenameOption())
    .option('--in-place', 'write the files instead of standard output', false)
    .option('--strict', 'exit 1 also when something could not be carried over', false)
    .addOption(
      outputOption(
        ['text', 'json', 'yaml'],
        'text: the manifests; json, yaml: what became of each, and what it is now',
      ),
    )
    .action(async (files: string[], options: ConvertOptions) => {
      exit(await convert([...files, ...options.filename], options, terminal))
    })

/** 1 when a document was refused or came out invalid; what was lost is said on stderr and is a problem only with `--strict`. */
async function convert(names: readonly string[], options: ConvertOptions, terminal: Terminal): Promise<ExitCode> {
  if (names.length === 0) throw new UsageError('nothing to convert: name a file, a folder, or - for standard input')
  if (options.inPlace && names.includes('-')) throw new UsageError('--in-place cannot write standard input')
  const files = convertFiles(await readTexts(names, terminal), { whole: options.inPlace })
  if (!isDataFormat(options.output)) {
    for (const file of files)
      for (const remark of remarksOf(file)) print(terminal.stderr, remarkLine(file.file, remark))
  }
  // What moves from one file into another must not be lost between them.
  if (options.inPlace) uninterrupted(() => writeChanged(files, terminal))
  if (isDataFormat(options.output)) printData(terminal.stdout, options.output, reportsOf(files))
  else if (!options.inPlace) terminal.stdout.write(joined(files))
  const isProblem = ({ kind }: ConversionRemark): boolean =>
    kind === 'refused' || kind === 'invalid' || (kind === 'lost' && options.strict)
  return files.some((file) => remarksOf(file).some(isProblem)) ? 1 : 0
}

function remarksOf({ documents }: ConvertedFile): ConversionRemark[] {
  return documents.flatMap(({ remarks }) => remarks)
}

/** A file with a document that was refused is left alone altogether: half a conversion is easily overlooked. */
function writeChanged(files: readonly ConvertedFile[], terminal: Terminal): void {
  for (const one of files) {
    const { file, text, converted } = one
    if (remarksOf(one).some(({ kind }) => kind === 'refused')) {
      print(terminal.stderr, `${file}: not written, because a document of it was refused`)
      continue
    }
    if (converted === 0) continue
    writeFileSync(resolve(terminal.cwd, file), text)
    print(terminal.stderr, `${file}: converted ${countText(converted, 'object')}`)
  }
}

/** One stream of documents. Files whose text cannot be split off by a marker get one. */
function joined(files: readonly ConvertedFile[]): string {
  return files.reduce((all, { text }) => {
    if (all === '') return text
    const gap = all.endsWith('\n') ? '' : '\n'
    return `${all}${gap}${/^(?:\s|#[^\n]*\n)*---/.test(text) ? '' : '---\n'}${text}`
  }, '')
}

function remarkLine(file: string, { kind, line, column, subject, message }: ConversionRemark): string {
  const place = `${file}:${line}:${column}`
  return printableText(subject === '' ? `${place} ${kind}: ${message}` : `${place} ${subject} ${kind}: ${message}`)
}
