package size

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/pods"
	"github.com/thinformer/thinformer/bench/size/probe"
	"github.com/thinformer/thinformer/bench/wire"
)

// MigrationCases returns a case for each step of a migration, and for programs whose
// informers come from a factory: the program after the step, and on the other side the
// program before the migration.
func MigrationCases() (cases []harness.Case) {
	const rows = ": MB of the stripped file, packages linked, seconds to the last call for 10,000 pods and processor seconds, MB resident until then, live heap for each pod, processor microseconds for each event. The other side, unless it is named, is the same program with client-go. Each requests its default encoding (2,000 pods with -short)"
	pods, factory, dynamic := newProgram("pods-clientgo"), newProgram("factory-clientgo"), newProgram("dynamic-clientgo")
	imports, throughFactory := newProgram("pods-imports"), newProgram("factory-imports")
	for _, step := range []struct {
		name   string
		before program
		after  program
		about  string
	}{
		{"imports", pods, imports, "a controller of pods on a clientset, with two imports changed"},
		{"imports/protobuf", pods.requesting(wire.Protobuf), imports.requesting(wire.Protobuf), "the same, with a clientset that is configured to request protobuf"},
		{"listwatch", pods, newProgram("pods-listwatch"), "the same with this module's client in place of the clientset"},
		{"typed", pods, newProgram("pods-typed"), "the same without the untyped layer: an informer of *v1.Pod"},
		{"slim", pods, newProgram("pods-slim"), "the same with a slim type, which has only the fields that are read"},
		{"factory", factory, throughFactory, "a controller of pods of a generated factory, with three imports changed. client-go requests protobuf here, so that migrate/imports/protobuf is the same program with its own ListWatch"},
		{"factory/kept", imports, throughFactory, "the same; the other side is the program of migrate/imports, which has its own ListWatch and the other imports, too"},
		{"dynamic", dynamic, newProgram("dynamic-imports"), "a controller of pods of a dynamic factory, with three imports changed, and the client of the factory's package"},
	} {
		cases = append(cases, harness.Case{
			Name: "migrate/" + step.name, Unit: "MB", N: 1, Rounds: 3, About: step.about + rows,
			Ours:   func() harness.Side { return step.after.followingPods },
			Theirs: func() harness.Side { return step.before.followingPods },
		})
	}
	return cases
}

func (p program) followingPods(m *harness.Meter) {
	held, events := pods.Config{Pods: 10_000, EventPods: 1_000}, 10_000
	if m.IsShort() {
		held.Pods, events = 2_000, 1_000
	}
	r := p.follow(pods.Serve(held), held.Pods, events)
	m.Report("", float64(p.bytes())/1e6)
	m.ReportIn("packages", "packages", float64(p.packages()))
	m.ReportIn("s", "sync", r.Sync.Seconds())
	m.ReportIn("s", "sync-cpu", r.SyncCPU.Seconds())
	m.ReportIn("MB", "peak", float64(r.Peak)/1e6)
	m.ReportIn("B/pod", "live", float64(r.Live)/float64(held.Pods))
	m.ReportIn("us/event", "event-cpu", float64(r.EventsCPU.Microseconds())/float64(events))
}

// follow runs a program with the pods of a server to its end.
func (p program) follow(url string, pods, events int) (r probe.Report) {
	command := exec.Command(p.build(), url, fmt.Sprint(pods), fmt.Sprint(events))
	command.Env = append(os.Environ(), probe.ContentTypeVariable+"="+p.contentType)
	command.Stderr = os.Stderr
	check(json.Unmarshal(must(command.Output()), &r))
	return r
}
