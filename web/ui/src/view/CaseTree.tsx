import { Words } from "../common/Words";
import type { Tree, TreeNode } from "./case";

/** The true codes and the predicted ones in the tree, and how far each model came on each level. */
export function CaseTree({ tree }: { tree: Tree }) {
  return (
    <section aria-label="Codes in the tree">
      <h3>Codes in the tree of {tree.release}</h3>
      <div class="case-tree">
        <ul class="tree">
          {tree.roots.map((node) => (
            <Branch key={node.code} node={node} />
          ))}
        </ul>
        {tree.levels.length > 0 && <Hits tree={tree} />}
      </div>
      {tree.absent.length > 0 && (
        <p class="quiet">
          Not in the tree: <Words>{tree.absent.join(", ")}</Words>
        </p>
      )}
    </section>
  );
}

function Branch({ node }: { node: TreeNode }) {
  return (
    <li>
      <span class={node.truth ? "true-code" : ""}>
        <code>{node.code}</code> <Words>{node.name}</Words>
        {node.truth && <strong class="chip good">truth</strong>}
        {node.models.map((model) => (
          <span key={model} class="chip">
            <Words>{model}</Words>
          </span>
        ))}
      </span>
      {node.below.length > 0 && (
        <ul>
          {node.below.map((one) => (
            <Branch key={`${one.level} ${one.code}`} node={one} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Hits({ tree }: { tree: Tree }) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Hits by level">
      <table role="table" class="stacks">
        <caption>True nodes that the predictions reach, by level</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Model</th>
            {tree.levels.map((level) => (
              <th role="columnheader" key={level} scope="col">
                {level}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {tree.hits.map((one) => (
            <tr role="row" key={one.model}>
              <th role="rowheader" scope="row">
                <Words>{one.model}</Words>
              </th>
              {one.hits.map((hit, at) => (
                <td role="cell" key={at} class="number" data-label={tree.levels[at]}>
                  {hit} of {tree.of[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
