import { metadataErrors } from '../../api/validation/index.ts'
import { print, ProblemsError, type Terminal } from '../command-line.ts'
import { type ManifestDocument, readDocuments, syntaxLine } from '../input/documents.ts'
import { admitOwnKind } from '../input/own-kinds.ts'
import { unreadableKind, unservedText } from '../input/judged-kinds.ts'
import { parsePath } from '../input/path.ts'
import { problemLine } from '../input/problem-line.ts'
import { warnOfUnknownFields } from '../input/unknown-fields.ts'
import { withoutVariables } from '../input/variables.ts'
import type { InputOptions } from '../input/texts.ts'
import { leftOutOf } from '../snapshot/left-out.ts'
import { decodeCore } from './core-types.ts'
import { printableText } from '../table.ts'
import { oncePerName } from './once-per-name.ts'
import { isSimulationKind, type SimulationObjects, sortObjects } from './objects.ts'
import { catalogueProblems, coreShapeProblems } from './shape.ts'

/** Everything of the input that a simulation reads. */
export async function readObjects(files: readonly string[], terminal: Terminal): Promise<SimulationObjects> {
  const read = await readDocuments(files, terminal)
  warnOfUnknownFields(read, terminal)
  const documents = oncePerName(judgedOf(read))
  const objects = sortObjects(documents)
  const leftOut = leftOutOf(documents)
  if (leftOut.length > 0) {
    const message = `whoever recorded the snapshot may not list ${leftOut.join(', ')}: it is simulated as if there were none`
    print(terminal.stderr, `warning: ${message}`)
  }
  if (leftOut.length === 0 && Object.values(objects).every((list) => list.length === 0)) {
    print(terminal.stderr, printableText(`warning: ${files.join(', ')}: holds nothing that a simulation reads`))
  }
  return objects
}

/** Documents as the API server would store them, each once. All are judged before anything is said about one. */
export async function readJudged(
  files: readonly string[],
  options: InputOptions,
): Promise<readonly ManifestDocument[]> {
  return oncePerName(judgedOf(await readDocuments(files, options)))
}

/** The same of what is to be applied: a manifest, unlike a recorded object, may have variables in it, and misspelt fields. */
export async function readJudgedManifests(
  files: readonly string[],
  terminal: Terminal,
): Promise<readonly ManifestDocument[]> {
  const read = withoutVariables(await readDocuments(files, terminal))
  warnOfUnknownFields(read, terminal)
  return judgedOf(read)
}

function judgedOf(documents: readonly ManifestDocument[]): readonly ManifestDocument[] {
  const judged = documents.map(judge)
  const problems = judged.flatMap((each) => each.problems)
  if (problems.length > 0) throw new ProblemsError(problems)
  return judged.map(({ document }) => document)
}

interface Judged {
  /** With defaults. */
  readonly document: ManifestDocument
  /** One line per problem. */
  readonly problems: readonly string[]
}

function judge(document: ManifestDocument): Judged {
  const { content, file } = document
  if (content.kind === 'unreadable') {
    const problems = content.problems.map((problem) => syntaxLine(file, problem))
    return { document, problems }
  }
  const refused = unreadableKind(content.object)
  if (refused !== undefined) {
    return { document, problems: [problemLine(document, { path: ['apiVersion'], message: unservedText(refused) })] }
  }
  const admitted = admitOwnKind(content.object)
  if (admitted !== undefined) {
    // The schema leaves metadata to the API server's own decoding.
    const problems = [...metadataErrors(content.object, 'UPDATE'), ...admitted.errors]
      // `<nil>` only says that the rules were not reached, which goes without saying here.
      .filter(({ path }) => path !== '<nil>')
      .map(({ path, body }) => problemLine(document, { path: parsePath(path, content.object), message: body }))
    const { object } = decodeCore(admitted.object as typeof content.object)
    return { document: { ...document, content: { kind: 'object', object } }, problems }
  }
  if (!isSimulationKind(content.object)) return { document, problems: [] }
  const { object, problems: mistyped } = decodeCore(content.object)
  const problems = mistyped.length > 0 ? mistyped : [...coreShapeProblems(object), ...catalogueProblems(object)]
  return {
    document: { ...document, content: { kind: 'object', object } },
    problems: problems.map((problem) => problemLine(document, problem)),
  }
}
