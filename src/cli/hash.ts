import { Command } from 'commander'
import { parseNillableDuration } from '../api/duration.ts'
import { ec2NodeClassHash, ec2NodeClassHashVersion, nodePoolHash, nodePoolHashVersion } from '../api/hash/index.ts'
import { amiFamilies, type AMIFamilyName } from '../api/ami-family.ts'
import type { EC2NodeClass, NodePool } from '../api/karpenter.ts'
import { metadataErrors } from '../api/validation/index.ts'
import { admitOwnKind } from './input/own-kinds.ts'
import { parsePath } from './input/path.ts'
import { problemLine, type ShapeProblem } from './input/problem-line.ts'
import { type ExitCode, print, ProblemsError, type Terminal, UsageError } from './command-line.ts'
import { type ManifestDocument, readDocuments, syntaxLine } from './input/documents.ts'
import { warnOfUnknownFields } from './input/unknown-fields.ts'
import { withoutVariables } from './input/variables.ts'
import { filenameOption } from './input/option-values.ts'
import type { CommandFactory } from './main.ts'
import { type DataFormat, isDataFormat, outputOption, printData } from './output-format.ts'
import { printableText } from './table.ts'
import { unserved, unservedText } from './input/judged-kinds.ts'

interface HashRow {
  readonly kind: string
  readonly name: string
  /** Unsigned 64-bit, decimal. */
  readonly hash: string
  readonly hashVersion: string
}

interface HashOptions {
  readonly filename: readonly string[]
  readonly caBundle: string
  readonly amiFamily?: string
  readonly output: 'table' | DataFormat
}

export const hashCommand: CommandFactory = (terminal, exit) =>
  new Command('hash')
    .description('print the drift hashes of NodePools and EC2NodeClasses, as the controllers stamp them')
    .argument('[file...]', 'files or folders, `-` for standard input')
    .addOption(filenameOption())
    .option('--ca-bundle <text>', "the cluster's CA bundle, which is part of the EC2NodeClass hash", '')
    .option('--ami-family <name>', 'AMI family to hash instead of the one that the spec resolves to')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .action(async (files: string[], options: HashOptions) => {
      exit(await run([...files, ...options.filename], options, terminal))
    })

async function run(files: readonly string[], options: HashOptions, terminal: Terminal): Promise<ExitCode> {
  if (files.length === 0) throw new UsageError('nothing to hash: name a file, a folder, or - for standard input')
  const amiFamily = options.amiFamily === undefined ? undefined : knownFamily(options.amiFamily)
  const documents = withoutVariables(await readDocuments(files, terminal))
  warnOfUnknownFields(documents, terminal)
  const problems: string[] = []
  const rows = documents.flatMap((document) => {
    const row = hashDocument(document, { caBundle: options.caBundle, amiFamily })
    if (row === undefined) return []
    if ('problems' in row) {
      problems.push(...row.problems)
      return []
    }
    return [row]
  })
  if (problems.length > 0) throw new ProblemsError(problems)
  if (rows.length === 0) {
    const message = `${files.join(', ')}: holds no NodePool and no EC2NodeClass: there is nothing to hash`
    print(terminal.stderr, printableText(`warning: ${message}`))
  }
  if (isDataFormat(options.output)) printData(terminal.stdout, options.output, rows)
  else
    for (const { kind, name, hash, hashVersion } of rows)
      print(terminal.stdout, printableText(`${kind}/${name}  ${hash}  ${hashVersion}`))
  return 0
}

/** Undefined for kinds that have no hash. The object is hashed as the API server would store it, defaults included. */
function hashDocument(
  document: ManifestDocument,
  { caBundle, amiFamily }: { readonly caBundle: string; readonly amiFamily: AMIFamilyName | undefined },
): HashRow | { readonly problems: readonly string[] } | undefined {
  if (document.content.kind === 'unreadable') {
    if (document.content.isPatch) return undefined
    return {
      problems: document.content.problems.map((problem) => syntaxLine(document.file, problem)),
    }
  }
  const { object } = document.content
  const refused = unserved(object)
  if (refused !== undefined) {
    return { problems: [problemLine(document, { path: ['apiVersion'], message: unservedText(refused) })] }
  }
  if (object.kind !== 'NodePool' && object.kind !== 'EC2NodeClass') return undefined
  // A status has no part in it, and may be that of another version: what was read from a cluster has one.
  const { status: _status, ...written } = object
  const admitted = admitOwnKind(written)
  if (admitted === undefined) return undefined
  const errors = [...metadataErrors(object, 'UPDATE'), ...admitted.errors]
  if (errors.length > 0) {
    return {
      problems: errors.map(({ path, body }) => problemLine(document, { path: parsePath(path, object), message: body })),
    }
  }
  const name = String(object.metadata?.name ?? '')
  if (object.kind === 'NodePool') {
    const pool = admitted.object as NodePool
    const unreadable = unreadableDurations(pool)
    if (unreadable.length > 0) return { problems: unreadable.map((problem) => problemLine(document, problem)) }
    const hash = nodePoolHash(pool)
    return { kind: 'NodePool', name, hash, hashVersion: nodePoolHashVersion }
  }
  const { spec } = admitted.object as EC2NodeClass
  if (spec === undefined) return { problems: [problemLine(document, { path: ['spec'], message: 'Required value' })] }
  const hash = ec2NodeClassHash({ spec: amiFamily === undefined ? spec : { ...spec, amiFamily } }, caBundle)
  return { kind: 'EC2NodeClass', name, hash, hashVersion: ec2NodeClassHashVersion }
}

/** Text that the schema admits and that is beyond what a duration can be has no hash. */
function unreadableDurations({ spec: { template } }: NodePool): readonly ShapeProblem[] {
  return (['expireAfter', 'terminationGracePeriod'] as const).flatMap((field) => {
    const parsed = parseNillableDuration(template.spec[field])
    return parsed.kind === 'invalid' ? [{ path: ['spec', 'template', 'spec', field], message: parsed.message }] : []
  })
}

/** @throws UsageError */
function knownFamily(text: string): AMIFamilyName {
  const known = amiFamilies.find((family) => family === text)
  if (known === undefined) throw new UsageError(`--ami-family ${text}: must be one of ${amiFamilies.join(', ')}`)
  return known
}
