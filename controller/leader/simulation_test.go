package leader

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
)

var (
	leaderSeed  = flag.Uint64("leader.seed", 0, "run the simulation with this seed only")
	leaderFrom  = flag.Uint64("leader.from", 1, "first seed")
	leaderSeeds = flag.Int("leader.seeds", 25, "number of seeds")
	leaderSteps = flag.Int("leader.steps", 60, "number of steps of each simulation")
)

// With two to five candidates and random faults of the network, the server, the clocks and
// the processes, no two candidates act at once. After the faults have ended, one candidate
// leads and remains the leader.
func TestSimulation(t *testing.T) {
	from, seeds := *leaderFrom, *leaderSeeds
	if *leaderSeed != 0 {
		from, seeds = *leaderSeed, 1
	}
	terms := 0
	for seed := from; seed < from+uint64(seeds); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { terms += simulate(t, seed) })
			if t.Failed() {
				t.Logf("run again: go test ./controller/leader -run 'TestSimulation$' -leader.seed=%d -leader.steps=%d", seed, *leaderSteps)
			}
		})
	}
	t.Logf("%d changes of the leader in %d simulations", terms, seeds)
	if seeds > 10 && terms < seeds {
		t.Error("the leader changed less than once in each simulation")
	}
}

// simulation runs random steps in a testCluster.
type simulation struct {
	*testCluster
	random  *rand.Rand
	history []string
	started int
	leaders int    // number of changes of the leader
	last    string // the last leader
}

func simulate(t *testing.T, seed uint64) (leaders int) {
	s := &simulation{testCluster: newTestCluster(t), random: rand.New(rand.NewPCG(seed, 1))}
	defer func() {
		if t.Failed() {
			t.Log(strings.Join(s.history, "\n"))
		}
	}()
	defer s.stopAll()
	begun := time.Now()
	for range 2 + s.random.IntN(4) {
		s.add()
	}
	for range *leaderSteps {
		step := s.step()
		s.history = append(s.history, fmt.Sprintf("%8.1fs %s", time.Since(begun).Seconds(), step))
		time.Sleep(time.Duration(s.random.Int64N(int64(8 * time.Second))))
		s.countLeaders()
		s.check()
	}
	s.removeFaults()
	s.history = append(s.history, fmt.Sprintf("%8.1fs all faults removed", time.Since(begun).Seconds()))
	// The lease duration of a killed holder, the timeout of requests, the time for lead to
	// return, and the next read.
	time.Sleep(15*time.Second + 5*time.Second + 5*time.Second + 3*time.Second)
	s.check()
	leader := s.leader()
	if leader == "" {
		t.Fatalf("no leader after the faults have ended: %s", s.lease())
	}
	for range 60 {
		time.Sleep(time.Second)
		s.check()
		if now := s.leader(); now != leader {
			t.Fatalf("the leader changed from %s to %q without a fault: %s", leader, now, s.lease())
		}
	}
	return s.leaders
}

func (s *simulation) countLeaders() {
	if now := s.leader(); now != "" && now != s.last {
		s.last = now
		s.leaders++
	}
}

// randomProcess returns a running process, a new one if all have ended.
func (s *simulation) randomProcess() *process {
	s.mu.Lock()
	if len(s.processes) == 0 {
		s.mu.Unlock()
		s.add()
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	return s.processes[s.random.IntN(len(s.processes))]
}

func (s *simulation) add() string {
	s.started++
	p := s.start(fmt.Sprintf("p%d", s.started), s.random.Uint64())
	p.stopDelay = time.Duration(s.random.Int64N(int64(4800 * time.Millisecond)))
	if s.random.IntN(2) == 0 {
		p.setClock(time.Duration(s.random.Int64N(int64(48*time.Hour))) - 24*time.Hour)
	}
	return p.name
}

// step executes a random step and returns its description.
func (s *simulation) step() string {
	p := s.randomProcess()
	switch s.random.IntN(16) {
	case 0, 1:
		p.network.setFaults(1, requestLost)
		return p.name + " is cut off"
	case 2:
		p.network.setFaults(1, responseLost)
		return p.name + " receives no responses"
	case 3, 4:
		p.network.setFaults(0.7, slow, responseLost, lateDelivery, requestLost, refused, tooManyRequests, serverError)
		return p.name + " has random faults"
	case 5:
		p.network.setFaults(1, slow)
		return p.name + " is slow"
	case 6, 7:
		p.network.setFaults(0)
		return p.name + " has no faults"
	case 8, 9:
		p.pause()
		return p.name + " is paused"
	case 10:
		p.resume()
		return p.name + " is resumed"
	case 11:
		p.pause()
		time.Sleep(time.Duration(s.random.Int64N(int64(40 * time.Second))))
		p.resume()
		return p.name + " was paused"
	case 12:
		p.setClock(time.Duration(s.random.Int64N(int64(48*time.Hour))) - 24*time.Hour)
		return p.name + " has its clock set"
	case 13:
		if !s.exists() {
			return "nothing"
		}
		p.kill()
		return p.name + " is killed, and " + s.add() + " starts"
	case 14:
		if p.resume(); !s.exists() {
			return "nothing"
		}
		p.stop()
		<-p.ended
		return p.name + " stops, and " + s.add() + " starts"
	default:
		return s.serverStep()
	}
}

// serverStep executes a random step of the server or the Lease.
func (s *simulation) serverStep() string {
	switch s.random.IntN(4) {
	case 0:
		s.srv.Restart()
		return "the server is restarted"
	case 1:
		s.srv.Stop()
		time.Sleep(time.Duration(s.random.Int64N(int64(20 * time.Second))))
		s.srv.Start()
		return "the server was down"
	case 2:
		fault := s.srv.Fault(apitest.Fault{Action: apitest.Freeze()})
		time.Sleep(time.Duration(s.random.Int64N(int64(20 * time.Second))))
		fault.Remove()
		return "the server was frozen"
	default:
		if !s.exists() || !s.allKnowTheLeader() {
			return "nothing"
		}
		apitest.Delete(s.t, s.srv, s.object())
		return "the lease is deleted"
	}
}

// allKnowTheLeader reports whether all processes have observed a leader. A process that
// has not would take a deleted Lease at once; see the package comment.
func (s *simulation) allKnowTheLeader() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.processes {
		if p.State().Leader == "" {
			return false
		}
	}
	return true
}

func (s *simulation) exists() bool { return s.object() != nil }

func (s *simulation) object() *leaseObject {
	for _, l := range apitest.List(s.t, s.srv, &leaseObject{TypeMeta: leaseType, ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}) {
		return l
	}
	return nil
}

func (s *simulation) lease() string { return fmt.Sprint(s.object()) }

// removeFaults ends all faults and pauses. It starts a process if there is none.
func (s *simulation) removeFaults() {
	s.mu.Lock()
	all := append([]*process(nil), s.processes...)
	s.mu.Unlock()
	for _, p := range all {
		p.network.setFaults(0)
		p.resume()
	}
	if len(all) == 0 {
		s.add()
	}
}
