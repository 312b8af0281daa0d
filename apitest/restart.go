package apitest

import (
	"errors"

	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// Stop ends every connection and refuses new ones, until [Server.Start]. To its
// clients, the server has crashed. Stored objects stay, and Go access works.
func (s *Server) Stop() { s.listener.Suspend(s.stopped)() }

// Start listens again after [Server.Stop], at the same address.
func (s *Server) Start() { s.listener.Resume(s.stopped) }

// Restart calls Stop and Start: every connection is lost, and stored objects
// stay.
func (s *Server) Restart() {
	s.Stop()
	s.Start()
}

// RestartFromBackup restarts with the state before the given number of versions,
// like a control plane whose etcd was restored from a backup: later changes are
// undone, and their versions are assigned again. It goes back no further than
// the history, and not beyond the deletion of a CustomResourceDefinition.
// Initial namespaces are created again if they did not exist in that state.
func (s *Server) RestartFromBackup(versions uint64) {
	s.Stop()
	defer s.Start()
	now := s.store.Current()
	version := now - min(versions, now-1)
	for {
		older := storage.TooOld{}
		if err := s.store.Rewind(version); !errors.As(err, &older) {
			break
		}
		version = older.Oldest
	}
	err := s.createNamespaces()
	if err == nil {
		err = s.reconcileDefinitions()
	}
	if err != nil {
		s.options.logger().Error("apitest: restart from an older state", "err", err)
	}
}

// RotateCertificate uses another certificate, of the same authority, for new
// connections.
func (s *Server) RotateCertificate() {
	if s.tls == nil {
		return
	}
	if err := s.tls.Rotate(); err != nil {
		s.options.logger().Error("apitest: rotate the certificate", "err", err)
	}
}

// Compact removes the history: watches from versions before the current one,
// and lists at them, are rejected with 410 from now on. Open watches continue
// and miss no event that they have not sent yet.
func (s *Server) Compact() { s.store.Compact(s.store.Current()) }
