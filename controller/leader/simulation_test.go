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
	leaderFrom  = flag.Uint64("leader.from", 1, "the first of the seeds")
	leaderSeeds = flag.Int("leader.seeds", 25, "how many seeds to run")
	leaderSteps = flag.Int("leader.steps", 60, "how many steps each simulation takes")
)

// Two to five candidates, and everything that can go wrong between them and the
// server, with the server, with their clocks and with themselves: no two of them
// act at once, and soon after all is well again one of them leads, and goes on
// to.
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
				t.Logf("again: go test ./controller/leader -run 'TestSimulation$' -leader.seed=%d -leader.steps=%d", seed, *leaderSteps)
			}
		})
	}
	t.Logf("%d changes of the leader in %d simulations", terms, seeds)
	if seeds > 10 && terms < seeds {
		t.Error("the leader hardly ever changed: nothing was tried")
	}
}

// simulation is what happens to a world.
type simulation struct {
	*world
	random  *rand.Rand
	story   []string
	started int
	leaders int    // how often another one led
	last    string // who did
}

func simulate(t *testing.T, seed uint64) (leaders int) {
	s := &simulation{world: newWorld(t), random: rand.New(rand.NewPCG(seed, 1))}
	defer func() {
		if t.Failed() {
			t.Log(strings.Join(s.story, "\n"))
		}
	}()
	defer s.stopAll()
	begun := time.Now()
	for range 2 + s.random.IntN(4) {
		s.add()
	}
	for range *leaderSteps {
		step := s.step()
		s.story = append(s.story, fmt.Sprintf("%8.1fs %s", time.Since(begun).Seconds(), step))
		time.Sleep(time.Duration(s.random.Int64N(int64(8 * time.Second))))
		s.look()
		s.check()
	}
	s.heal()
	s.story = append(s.story, fmt.Sprintf("%8.1fs healed", time.Since(begun).Seconds()))
	// The last renewal of a holder that has died, the requests that hang, a lead
	// that takes its time to return, and the next look.
	time.Sleep(15*time.Second + 5*time.Second + 5*time.Second + 3*time.Second)
	s.check()
	leader := s.leader()
	if leader == "" {
		t.Fatalf("nobody leads: %s", s.lease())
	}
	for range 60 {
		time.Sleep(time.Second)
		s.check()
		if now := s.leader(); now != leader {
			t.Fatalf("%s leads, then %q, although all is well: %s", leader, now, s.lease())
		}
	}
	return s.leaders
}

func (s *simulation) look() {
	if now := s.leader(); now != "" && now != s.last {
		s.last = now
		s.leaders++
	}
}

// one of the processes; a new one if all have ended.
func (s *simulation) one() *process {
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
	p.wind = time.Duration(s.random.Int64N(int64(4800 * time.Millisecond)))
	if s.random.IntN(2) == 0 {
		p.setClock(time.Duration(s.random.Int64N(int64(48*time.Hour))) - 24*time.Hour)
	}
	return p.name
}

// step has one thing happen.
func (s *simulation) step() string {
	p := s.one()
	switch s.random.IntN(16) {
	case 0, 1:
		p.network.suffer(1, swallowed)
		return p.name + " is cut off"
	case 2:
		p.network.suffer(1, unheard)
		return p.name + " hears no answers"
	case 3, 4:
		p.network.suffer(0.7, slow, unheard, belated, swallowed, refused, busy, broken)
		return p.name + " has all kinds of trouble"
	case 5:
		p.network.suffer(1, slow)
		return p.name + " is slow"
	case 6, 7:
		p.network.suffer(0)
		return p.name + " is well"
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
		return s.server()
	}
}

// server has something happen to the server, or to the Lease.
func (s *simulation) server() string {
	switch s.random.IntN(4) {
	case 0:
		s.srv.Restart()
		return "the server is restarted"
	case 1:
		s.srv.Stop()
		time.Sleep(time.Duration(s.random.Int64N(int64(20 * time.Second))))
		s.srv.Start()
		return "the server was away"
	case 2:
		fault := s.srv.Fault(apitest.Fault{Do: apitest.Freeze()})
		time.Sleep(time.Duration(s.random.Int64N(int64(20 * time.Second))))
		fault.Lift()
		return "the server was frozen"
	default:
		if !s.exists() || !s.known() {
			return "nothing"
		}
		apitest.Delete(s.t, s.srv, s.object())
		return "the lease is deleted"
	}
}

// known is whether all processes know who leads: one that does not would take a
// Lease that is deleted, as the package comment says.
func (s *simulation) known() bool {
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

// heal makes everything well, and restarts who has ended.
func (s *simulation) heal() {
	s.mu.Lock()
	all := append([]*process(nil), s.processes...)
	s.mu.Unlock()
	for _, p := range all {
		p.network.suffer(0)
		p.resume()
	}
	if len(all) == 0 {
		s.add()
	}
}
