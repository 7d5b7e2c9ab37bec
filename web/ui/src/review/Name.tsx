import { useState } from "preact/hooks";
import { GoOn } from "../common/GoOn";
import { plural } from "./words";

/** Asks for the name that stands beside every decision. */
export function Name(props: { texts: number | undefined; reviewers: string[]; blind: boolean; onName: (name: string) => void }) {
  const { texts, onName } = props;
  const [name, setName] = useState("");
  return (
    <form
      class="name"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) onName(name.trim());
      }}
    >
      <p>
        {texts === undefined ? "Texts wait" : `${plural(texts, "text")} ${texts === 1 ? "waits" : "wait"}`} for you. The
        page shows each text with the code that was chosen for it: press Enter if the code fits, pick another one, search
        the release, or say that no code fits.{" "}
        {props.blind
          ? "You do not see what others decide. "
          : "Those come first that are frequent and unsure. "}
        Every decision is saved at once, so you can stop and go on at any time.
      </p>
      <label>
        Your name, which stands beside every decision{" "}
        <input
          value={name}
          maxLength={200}
          autocomplete="name"
          ref={(field) => field?.focus()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>{" "}
      <button class="primary" disabled={!name.trim()}>
        Begin
      </button>
      <GoOn names={props.reviewers} onName={onName} />
    </form>
  );
}
