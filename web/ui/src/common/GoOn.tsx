import { Words } from "./Words";

/** The people who have begun, to go on under the same name with one click. */
export function GoOn(props: { names: string[]; onName: (name: string) => void }) {
  if (!props.names.length) return null;
  return (
    <p class="go-on">
      Or go on as{" "}
      {props.names.map((name) => (
        <button key={name} type="button" onClick={() => props.onName(name)}>
          <Words>{name}</Words>
        </button>
      ))}
    </p>
  );
}
