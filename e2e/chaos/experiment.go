package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

// program is the program of one library.
type program interface {
	run(ctx context.Context) error
	close()
	stored(informer int) map[string]string // versions by name
}

// experiment has the server, both programs and the writer.
type experiment struct {
	settings
	servers *plane.Plane
	random  *rand.Rand
	client  *rest.Client // of the writer and of verify
	maps    *rest.Resource[*corev1.ConfigMap]

	meters   [2]*meter // ours, client-go's
	programs [2]program
	running  sync.WaitGroup
	ended    [2]error
	stop     context.CancelFunc
	writes   atomic.Int64 // accepted by the server
}

var sides = [2]string{"ours", "theirs"}

func newExperiment(ctx context.Context, servers *plane.Plane, s settings) (_ *experiment, err error) {
	made := &experiment{settings: s, servers: servers, random: rand.New(rand.NewPCG(s.seed, 0))}
	config := servers.Config(plane.Admin)
	config.Logger, config.Timeout = slog.New(slog.DiscardHandler), time.Second
	if made.client, err = rest.New(config); err != nil {
		return nil, err
	}
	if err := made.fill(ctx); err != nil {
		made.client.Close()
		return nil, err
	}
	for i := range made.meters {
		made.meters[i] = newMeter(s.informers)
	}
	a, err := newOurs(servers, made.meters[0], s.informers)
	if err != nil {
		made.client.Close()
		return nil, err
	}
	b, err := newTheirs(servers, made.meters[1], s.informers)
	if err != nil {
		a.close()
		made.client.Close()
		return nil, err
	}
	made.programs = [2]program{a, b}
	ctx, made.stop = context.WithCancel(ctx)
	for i, p := range made.programs {
		made.running.Go(func() { made.ended[i] = p.run(ctx) })
	}
	return made, nil
}

// fill creates the namespace, the beat and the items.
func (s *experiment) fill(ctx context.Context) error {
	if _, err := s.client.Post().RequestURI("/api/v1/namespaces").SetHeader("Content-Type", "application/json").
		Body([]byte(`{"metadata":{"name":"` + namespace + `"}}`)).DoRaw(ctx); err != nil {
		return err
	}
	s.maps = rest.NewResource[*corev1.ConfigMap](s.client, configMaps).Namespace(namespace)
	if _, err := s.maps.Create(ctx, newBeat(0), metav1.CreateOptions{}); err != nil {
		return err
	}
	for i := range s.items {
		if _, err := s.maps.Create(ctx, newMap(itemName(i), roleItem, map[string]string{"number": "0"}), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func itemName(i int) string { return "item-" + strconv.Itoa(i) }

func (s *experiment) close() {
	s.stop()
	s.running.Wait()
	for _, p := range s.programs {
		p.close()
	}
	s.client.Close()
}

// currentTimeout is how long the first lists, the informers after the last outage, and
// the right end are waited for.
const currentTimeout = 2 * time.Minute

// play kills and restarts the server for the time of the flag -for.
func (s *experiment) run(ctx context.Context, table *table) error {
	if err := s.allCurrent(ctx, currentTimeout); err != nil {
		return err
	}
	writing, stop := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() { s.write(writing) })
	defer writer.Wait()
	defer stop()

	since := time.Now()
	end := since.Add(s.duration)
	for n := 1; time.Now().Before(end); n++ {
		if err := pause(ctx, between(s.random, 1, 12)); err != nil {
			return err
		}
		row, err := s.outage(ctx, n, between(s.random, 0, 8))
		if err != nil {
			return err
		}
		row.up, since = row.ours.began.Sub(since), time.Now()
		// The informers have as long as the server runs.
		up := between(s.random, 2, 30)
		if !time.Now().Before(end) {
			up = currentTimeout
		}
		_ = s.allCurrent(ctx, up) // the row shows informers that are not current
		row.next, row.ours, row.theirs = time.Now(), s.meters[0].result(), s.meters[1].result()
		table.add(row)
	}
	return ctx.Err()
}

// between returns a random time of some seconds. Short times are more frequent.
func between(r *rand.Rand, low, high float64) time.Duration {
	x := r.Float64()
	return time.Duration((low + (high-low)*x*x) * float64(time.Second))
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// outage kills the server, restarts it after a time, and returns when it has accepted the
// beat.
func (s *experiment) outage(ctx context.Context, n int, down time.Duration) (*outage, error) {
	if err := s.servers.KillAPIServer(); err != nil {
		return nil, err
	}
	killed := time.Now()
	for _, m := range s.meters {
		m.begin(n, killed)
	}
	row := &outage{}
	var beating sync.WaitGroup
	var beaten error
	beating.Go(func() { row.accepted, beaten = s.beat(ctx, n) })
	err := pause(ctx, down)
	if err == nil {
		err = s.servers.RestartAPIServer(ctx)
	}
	beating.Wait()
	if err = errors.Join(err, beaten); err != nil {
		return nil, err
	}
	row.ours = s.meters[0].result()
	return row, nil
}

// beat writes a number into the beat as soon as the server accepts it.
func (s *experiment) beat(ctx context.Context, n int) (time.Time, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, currentTimeout, errors.New("the server has not accepted a write since it was restarted"))
	defer cancel()
	for {
		if _, err := s.maps.Update(ctx, newBeat(n), metav1.UpdateOptions{}); err == nil {
			return time.Now(), nil
		}
		if pause(ctx, 20*time.Millisecond) != nil {
			return time.Time{}, context.Cause(ctx)
		}
	}
}

// allCurrent waits until all informers of both programs are current.
func (s *experiment) allCurrent(ctx context.Context, within time.Duration) error {
	var behind string
	err := eventually(ctx, within, func() bool {
		behind = ""
		for i, m := range s.meters {
			for informer, at := range m.result().current {
				if at.IsZero() {
					behind = fmt.Sprintf("%s: informer %d", sides[i], informer)
				}
			}
		}
		return behind == ""
	})
	if err != nil {
		return fmt.Errorf("not current after %v: %s: %w", within, behind, err)
	}
	return nil
}

// eventually polls until ok.
func eventually(ctx context.Context, within time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for !ok() {
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// write changes, deletes and creates items until ctx is done. It ignores failures.
func (s *experiment) write(ctx context.Context) {
	random := rand.New(rand.NewPCG(s.seed, 1))
	for number := 1; ctx.Err() == nil; number++ {
		name := itemName(random.IntN(s.items))
		item := newMap(name, roleItem, map[string]string{"number": strconv.Itoa(number)})
		var err error
		if random.IntN(8) == 0 {
			err = s.maps.Delete(ctx, name, metav1.DeleteOptions{})
		} else if _, err = s.maps.Update(ctx, item, metav1.UpdateOptions{}); apierrors.IsNotFound(err) {
			_, err = s.maps.Create(ctx, item, metav1.CreateOptions{})
		}
		if err == nil {
			s.writes.Add(1)
		}
		_ = pause(ctx, between(random, 0, 0.1))
	}
}
