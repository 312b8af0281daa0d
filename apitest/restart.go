package apitest

import "errors"

// Stop ends every connection and refuses new ones, until [Server.Start]: to its
// clients the server has crashed. What is stored stays, and Go access works.
func (s *Server) Stop() { s.door.keepShut(s.stopped)() }

// Start listens again after [Server.Stop], at the same address.
func (s *Server) Start() { s.door.letOpen(s.stopped) }

// Restart is Stop and Start: every connection is lost, what is stored stays.
func (s *Server) Restart() {
	s.Stop()
	s.Start()
}

// RestartBack restarts with the state of some versions ago, as a control plane
// does whose etcd was restored from a backup: what happened since has not
// happened, and its versions are given out again. It goes back no further than
// the history is known, and not beyond the end of a custom resource. The first
// namespaces are made again where it went beyond their beginning.
func (s *Server) RestartBack(versions uint64) {
	s.Stop()
	defer s.Start()
	now := s.store.current()
	to := now - min(versions, now-1)
	for {
		older := tooOld{}
		if err := s.store.rewind(to); !errors.As(err, &older) {
			break
		}
		to = older.oldest
	}
	err := s.createNamespaces()
	if err == nil {
		err = s.settle()
	}
	if err != nil {
		s.options.logger().Error("apitest: restart with the state of some versions ago", "error", err)
	}
}

// RotateCertificate shows another certificate, of the same authority, to those
// who connect from now on.
func (s *Server) RotateCertificate() {
	if s.tls == nil {
		return
	}
	if err := s.tls.rotate(); err != nil {
		s.options.logger().Error("apitest: rotate the certificate", "error", err)
	}
}
