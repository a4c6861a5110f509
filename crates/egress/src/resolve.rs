//! Names to addresses: one resolver in the process, no hosts file, no search list, every address of an answer.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::system_conf::read_system_conf;

use crate::edge::EdgeError;
use crate::limits::{EdgeLimits, within};
use crate::record::FailKind;

/// Answers kept by the resolver; each connection is judged again, whatever is kept.
const KEPT_ANSWERS_MAX: u64 = 256;

/// Times a question is put to a server before the next is asked.
const ATTEMPTS_MAX: usize = 2;

/// Who is asked for addresses.
#[derive(Debug, Clone)]
pub enum ResolverChoice {
    /// The servers that this machine is set up with.
    System,
    /// Exactly these servers.
    Servers(Vec<SocketAddr>),
}

/// Looks names up.
pub(crate) struct Names {
    resolver: Option<TokioResolver>,
    servers: Vec<IpAddr>,
}

impl Names {
    pub(crate) fn open(choice: &ResolverChoice, limits: &EdgeLimits) -> Result<Self, EdgeError> {
        let config = match choice {
            // A machine without a resolver can still reach granted origins, so its absence shows at the first look-up.
            ResolverChoice::System => match read_system_conf() {
                Ok((config, _)) => config,
                Err(_) => return Ok(Self { resolver: None, servers: Vec::new() }),
            },
            ResolverChoice::Servers(servers) => {
                let servers = servers.iter().map(|server| name_server(*server)).collect();
                ResolverConfig::from_parts(None, Vec::new(), servers)
            }
        };
        let servers = config.name_servers().iter().map(|server| server.ip).collect();
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        let options = builder.options_mut();
        options.use_hosts_file = ResolveHosts::Never;
        // Both families in every answer: a bad address of one refuses the good ones of the other.
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.ndots = 1;
        options.attempts = ATTEMPTS_MAX;
        options.timeout = Duration::from_millis(limits.resolve_ms / 4);
        options.cache_size = KEPT_ANSWERS_MAX;
        let resolver = builder.build().map_err(|_| EdgeError::Resolver)?;
        Ok(Self { resolver: Some(resolver), servers })
    }

    /// Addresses of the servers that are asked; pages may not reach them.
    pub(crate) fn servers(&self) -> &[IpAddr] {
        &self.servers
    }

    /// All addresses of a name, asked for once.
    pub(crate) async fn addresses(&self, name: &str, limits: &EdgeLimits) -> Result<Vec<IpAddr>, FailKind> {
        let resolver = self.resolver.as_ref().ok_or(FailKind::NameUnresolved)?;
        // The final dot keeps search lists out of it.
        let question = resolver.lookup_ip(format!("{name}."));
        match within(limits.resolve_ms, question).await {
            Some(Ok(answer)) => Ok(answer.iter().collect()),
            Some(Err(error)) => Err(kind_of(&error)),
            None => Err(FailKind::NameUnresolved),
        }
    }
}

fn kind_of(error: &NetError) -> FailKind {
    if error.is_nx_domain() || error.is_no_records_found() { FailKind::NameNotFound } else { FailKind::NameUnresolved }
}

fn name_server(server: SocketAddr) -> NameServerConfig {
    let on_port = |mut connection: ConnectionConfig| {
        connection.port = server.port();
        connection
    };
    let connections = vec![on_port(ConnectionConfig::udp()), on_port(ConnectionConfig::tcp())];
    NameServerConfig::new(server.ip(), true, connections)
}
