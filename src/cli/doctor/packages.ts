/**
 * Gives the commands that install the parts that Vulkan needs, whose packages have other names on each family
 * of Linux.
 */
import type { LinuxFacts } from "./host.ts";

type DriverPart = "loader" | "mesa" | "nvidia" | "nvidiaContainer";

const packages: readonly { family: readonly string[]; command: string; names: Record<DriverPart, string> }[] =
  [
    {
      family: ["debian", "ubuntu"],
      command: "apt install",
      names: {
        loader: "libvulkan1",
        mesa: "mesa-vulkan-drivers",
        nvidia: "nvidia-vulkan-icd",
        nvidiaContainer: "libvulkan1 libegl1 libgl1",
      },
    },
    {
      family: ["fedora", "rhel", "centos"],
      command: "dnf install",
      names: {
        loader: "vulkan-loader",
        mesa: "mesa-vulkan-drivers",
        nvidia: "xorg-x11-drv-nvidia",
        nvidiaContainer: "vulkan-loader libglvnd-egl libglvnd-glx",
      },
    },
    {
      family: ["arch"],
      command: "pacman -S",
      names: {
        loader: "vulkan-icd-loader",
        mesa: "vulkan-radeon vulkan-intel",
        nvidia: "nvidia-utils",
        nvidiaContainer: "vulkan-icd-loader libglvnd",
      },
    },
  ];

const described: Readonly<Record<DriverPart, string>> = {
  loader: "the Vulkan loader",
  mesa: "Mesa's Vulkan drivers",
  nvidia: "NVIDIA's Vulkan driver",
  nvidiaContainer: "the Vulkan loader and libglvnd",
};

/** Returns the command that installs a part or, where the system is not known, what to install. */
export function install({ family, version }: LinuxFacts, part: DriverPart): string {
  const found = packages.find((each) => each.family.some((id) => family.includes(id)));
  if (!found) return `install ${described[part]}`;
  const command = `\`${found.command} ${found.names[part]}\``;
  const isOldDebian = family[0] === "debian" && Number(version) <= 12;
  return part === "mesa" && isOldDebian
    ? `${command} from Debian 13 or bookworm-backports; the Mesa of Debian 12 is too old for Dawn`
    : command;
}
