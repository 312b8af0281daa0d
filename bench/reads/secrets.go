package reads

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

// A reader is the kind of an operator of apps, by its reads of the Secrets that they name.
type reader string

const (
	// withoutSecrets does not read Secrets.
	withoutSecrets reader = "without"
	// withBodies has bodies on demand.
	withBodies reader = "bodies"
	// withCache caches all Secrets.
	withCache reader = "cache"
	// withMetadata watches the metadata of all Secrets, and reads each Secret from the
	// server whenever it is needed.
	withMetadata reader = "metadata"
)

// secretsQuestion describes the operator of a process.
type secretsQuestion struct {
	At     apiserver.Address
	Apps   int
	Reader reader
	// Idle is the time between the last reconcile and the measurement.
	Idle time.Duration
}

// secretsAnswer has the memory of an operator that has reconciled all apps.
type secretsAnswer struct {
	// Live is the live heap, Resident the resident memory before the last collection, and
	// Peak the largest resident memory.
	Live, Resident, Peak int64
	// Bytes is the number of bytes of the Secrets that the apps name, as they were read.
	Bytes int
}

// Roles returns the roles of the child processes of this package.
func Roles() map[string]process.Role {
	return map[string]process.Role{
		"reads/ours":   process.Answering(func(q secretsQuestion) secretsAnswer { return measuredOperator(q, openOurOperator) }),
		"reads/theirs": process.Answering(func(q secretsQuestion) secretsAnswer { return measuredOperator(q, openTheirOperator) }),
	}
}

// apps has the last reads of an operator.
type apps struct {
	mu       sync.Mutex
	awaited  int
	bytes    map[string]int // of the Secret of each reconciled app
	complete chan struct{}
}

// reconciled records a reconcile of an app, which has read so many bytes of a Secret.
func (a *apps) reconciled(name string, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.bytes)
	a.bytes[name] = bytes
	if before < a.awaited && len(a.bytes) == a.awaited {
		close(a.complete)
	}
}

func measuredOperator(q secretsQuestion, open func(secretsQuestion, *apps) *running) (answer secretsAnswer) {
	a := &apps{awaited: q.Apps, bytes: map[string]int{}, complete: make(chan struct{})}
	operator := open(q, a)
	select {
	case <-a.complete:
	case <-time.After(2 * time.Minute):
		panic(fmt.Sprintf("not all of %d objects are reconciled after two minutes", q.Apps))
	}
	time.Sleep(q.Idle)
	answer.Resident, answer.Peak = process.Resident(os.Getpid()), process.Peak()
	answer.Live = process.Live()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, bytes := range a.bytes {
		answer.Bytes += bytes
	}
	operator.stop()
	return answer
}

// referenced returns a side with an operator that reads a few Secrets of many: its memory
// less that of the same operator without Secrets, each in its own process.
func referenced(library string, reads reader) harness.Side {
	return func(m *harness.Meter) {
		has := apiserver.Config{Secrets: 10_000, SecretBytes: 32 << 10, Apps: 20}
		idle := 2 * time.Second
		if m.IsShort() {
			has.Secrets, idle = 500, 100*time.Millisecond
		}
		q := secretsQuestion{At: apiserver.Serve(has), Apps: has.Apps, Idle: idle}
		ask := func(reads reader, bytes int) secretsAnswer {
			q.Reader = reads
			answer := process.Ask[secretsAnswer]("reads/"+library, q)
			if answer.Bytes != bytes {
				panic(fmt.Sprintf("%s, %s: %d bytes of Secrets were read, want %d", library, reads, answer.Bytes, bytes))
			}
			return answer
		}
		without, with := ask(withoutSecrets, 0), ask(reads, has.Apps*has.SecretBytes)
		m.Report("", float64(with.Live-without.Live)/1e6)
		m.Report("resident", float64(with.Resident-without.Resident)/1e6)
		m.Report("peak", float64(with.Peak-without.Peak)/1e6)
	}
}
