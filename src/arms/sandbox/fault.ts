import { Failure } from "../../domain/failure.ts";

/** Why there is no sandbox, and what to do about it. */
export interface Fault {
  readonly reason: string;
  readonly fix: string;
}

const OR_NONE = "or pass --sandbox none where the machine itself is disposable";

/** What bubblewrap says when it cannot start, in the user's terms. */
export function readFault(said: string): Fault {
  const known = SYMPTOMS.find(({ sign }) => sign.test(said));
  if (known) return { reason: known.reason, fix: `${known.fix}, ${OR_NONE}` };
  const reason = said.trim().slice(0, 300) || "bubblewrap ended without starting the command";
  return { reason, fix: `run bwrap by hand to see why, ${OR_NONE}` };
}

export const NOT_INSTALLED: Fault = {
  reason: "bubblewrap (bwrap) is not installed",
  fix: `install it (apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap, apk add bubblewrap), ${OR_NONE}`,
};

export const NO_PRLIMIT: Fault = {
  reason: "prlimit is not installed",
  fix: `install util-linux, ${OR_NONE}`,
};

export const sandboxUnavailable = (fault: Fault) =>
  new Failure("sandbox_unavailable", `no sandbox: ${fault.reason}; ${fault.fix}`, {
    details: { reason: fault.reason, fix: fault.fix },
  });

const SYMPTOMS: readonly (Fault & { readonly sign: RegExp })[] = [
  {
    sign: /Creating new namespace failed|No space left on device|max_user_namespaces/i,
    reason: "user namespaces are switched off, or this already runs in a sandbox",
    fix: "raise them (sysctl user.max_user_namespaces=15000), run outside the other sandbox",
  },
  {
    sign: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/i,
    reason: "AppArmor does not let bubblewrap make user namespaces (Ubuntu 23.10 and later)",
    fix: "install the distribution's AppArmor profile for bwrap (or sysctl kernel.apparmor_restrict_unprivileged_userns=0)",
  },
  {
    sign: /No permissions to creat(e|ing) (a )?new namespace|uid map: Operation not permitted/i,
    reason: "this user may not make user namespaces",
    fix: "allow them (sysctl kernel.unprivileged_userns_clone=1; in Docker --security-opt seccomp=unconfined)",
  },
  {
    sign: /mount proc on .{0,200}: (Operation not permitted|Permission denied)/i,
    reason: "the container that this runs in masks /proc",
    fix: "start the container with an unmasked /proc (Docker: --security-opt systempaths=unconfined)",
  },
];
