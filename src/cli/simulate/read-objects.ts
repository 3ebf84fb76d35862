import { parseInstanceTypeCatalog } from '../../api/validators.ts'
import { ProblemsError, type Terminal } from '../command-line.ts'
import { type ManifestDocument, type PartialObject, readDocuments } from '../input/documents.ts'
import { admitOwnKind } from '../input/own-kinds.ts'
import { parsePath } from '../input/path.ts'
import { isSimulationKind, type SimulationObjects, sortObjects } from './objects.ts'
import { coreShapeProblems, problemLine, type ShapeProblem } from './shape.ts'

/** Everything of the input that a simulation reads. */
export async function readObjects(files: readonly string[], terminal: Terminal): Promise<SimulationObjects> {
  return sortObjects(await readJudged(files, terminal))
}

/** Documents as the API server would store them. All are judged before anything is said about one. */
export async function readJudged(
  files: readonly string[],
  terminal: Pick<Terminal, 'cwd' | 'stdin'>,
): Promise<readonly ManifestDocument[]> {
  const documents = await readDocuments(files, terminal)
  const problems = documents.flatMap(problemsOf)
  if (problems.length > 0) throw new ProblemsError(problems)
  return documents.map(withDefaults)
}

/** One line per problem. */
function problemsOf(document: ManifestDocument): readonly string[] {
  const { content, file } = document
  if (content.kind === 'unreadable') {
    return content.problems.map(({ line, column, message }) => `${file}:${line}:${column} /: ${message}`)
  }
  const admitted = admitOwnKind(content.object)
  if (admitted !== undefined) {
    // `<nil>` only says that the rules were not reached, which goes without saying here.
    return admitted.errors
      .filter(({ path }) => path !== '<nil>')
      .map(({ path, body }) => problemLine(document, { path: parsePath(path), message: body }))
  }
  if (!isSimulationKind(content.object)) return []
  return [...coreShapeProblems(content.object), ...catalogueProblems(content.object)].map((problem) =>
    problemLine(document, problem),
  )
}

function catalogueProblems(object: PartialObject): readonly ShapeProblem[] {
  if (object.kind !== 'InstanceTypeCatalog') return []
  const parsed = parseInstanceTypeCatalog(object)
  if (parsed.kind === 'ok') return []
  return parsed.errors.map(({ path, message }) => ({
    path: path
      .split('/')
      .slice(1)
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    message,
  }))
}

function withDefaults(document: ManifestDocument): ManifestDocument {
  if (document.content.kind !== 'object') return document
  const admitted = admitOwnKind(document.content.object)
  if (admitted === undefined) return document
  const object = admitted.object as typeof document.content.object
  return { ...document, content: { kind: 'object', object } }
}
