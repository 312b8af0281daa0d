package namespaces

import (
	"context"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/bench/process"
)

// An informer is a running informer of one side.
type informer interface {
	// add adds a namespace and returns when its first object was added. A later end of the
	// addition is not measured.
	add(namespace string) (first time.Duration)
	// single opens an informer of one namespace, and returns as add does.
	single(namespace string) (first time.Duration)
	stop()
}

// opener opens an informer of namespaces; all if there are none. It calls onAdd with each
// added object.
type opener func(at apiserver.Address, dial dialFunc, namespaces []string, onAdd func()) informer

func measured(q question, open opener) (a answer) {
	var namespaces []string
	for i := range q.Namespaces {
		namespaces = append(namespaces, apiserver.NamespaceName(i))
	}
	connections := new(dialer)
	complete := make(chan struct{})
	var objects atomic.Int64
	before, peak, live := runtime.NumGoroutine(), process.Peak(), process.Live()
	inf := open(q.At, connections.dial, namespaces, func() {
		if objects.Add(1) == int64(q.Objects) {
			close(complete)
		}
	})
	wait(complete)
	time.Sleep(time.Second) // the watches follow the lists
	a.Goroutines, a.Connections = runtime.NumGoroutine()-before, int(connections.open.Load())
	a.Peak = process.Peak() - peak
	a.Live = process.Live() - live
	for i := range q.Further {
		namespace := apiserver.NamespaceName(q.Namespaces + i)
		a.Single = append(a.Single, inf.single(namespace))
		a.Added = append(a.Added, inf.add(namespace))
	}
	inf.stop()
	return a
}

func wait(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		panic("not all objects were added within two minutes")
	}
}

// dialFunc opens a connection.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialer counts the open connections.
type dialer struct{ open atomic.Int64 }

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.open.Add(1)
	return counted{conn, sync.OnceFunc(func() { d.open.Add(-1) })}, nil
}

type counted struct {
	net.Conn
	closed func()
}

func (c counted) Close() error {
	c.closed()
	return c.Conn.Close()
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
