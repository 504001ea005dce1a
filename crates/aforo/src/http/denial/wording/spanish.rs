//! Spanish.

use aforo_policy::{PathError, Refusal};

use super::{REMEDY, Units, row};
use crate::http::denial::Refused;
use crate::http::denial::account::{Account, UNRECOGNISED};

pub(super) const UNITS: Units = Units {
    day: ["día", "días"],
    hour: ["hora", "horas"],
    minute: ["minuto", "minutos"],
    second: ["segundo", "segundos"],
    and: "y",
};

pub(super) const fn title(refused: &Refused<'_>) -> &'static str {
    match refused {
        Refused::Exceeded => "Cuota superada",
        Refused::Impossible => "El coste supera la cuota",
        Refused::Refusal(Refusal::MissingPart { .. }) => "Falta una parte",
        Refused::Refusal(Refusal::DuplicatePart { .. }) => "Parte repetida",
        Refused::Refusal(Refusal::UnreadableBody { .. }) => "Cuerpo ilegible",
        Refused::Refusal(Refusal::PlanRequired { .. }) => "Se requiere otro plan",
        #[cfg(feature = "graphql")]
        Refused::Refusal(Refusal::GraphQl(_)) => "Petición GraphQL rechazada",
        Refused::Refusal(_) => "Petición rechazada",
        Refused::Path(_) => "Ruta mal formada",
        Refused::Anonymous => "Se requiere una credencial",
        Refused::BodyTooLarge { .. } => "Cuerpo demasiado grande",
        Refused::StoreFailed | Refused::Unverified => "Capacidad reducida temporalmente",
        Refused::PeerUnknown => "Origen desconocido",
    }
}

pub(super) fn detail(refused: &Refused<'_>, account: &Account<'_>) -> String {
    let what = match refused {
        Refused::Exceeded => exceeded(account),
        Refused::Impossible => impossible(account),
        Refused::Refusal(refusal) => self::refused(refusal),
        Refused::Path(PathError::EncodedSlash) => {
            "La ruta contiene una barra codificada, una barra invertida o un NUL.".to_owned()
        }
        Refused::Path(_) => "La ruta está mal formada.".to_owned(),
        Refused::Anonymous => {
            "Este servicio solo acepta peticiones con una credencial válida.".to_owned()
        }
        Refused::BodyTooLarge { most } => format!("El cuerpo tiene más de {most} bytes."),
        Refused::StoreFailed => "En este momento no se pueden contar las peticiones.".to_owned(),
        Refused::Unverified => "En este momento no se puede comprobar la credencial.".to_owned(),
        Refused::PeerUnknown => {
            format!("El servidor no puede saber de dónde viene la petición. {REMEDY}")
        }
    };
    let credential = match account.credential {
        Some(UNRECOGNISED) => " La credencial enviada no se reconoce.",
        Some(_) if !matches!(refused, Refused::Unverified) => {
            " La credencial enviada no se ha podido comprobar en este momento."
        }
        _ => "",
    };
    match account.retry_after {
        Some(seconds) => {
            let time = UNITS.say(seconds);
            format!("{what} Vuelva a intentarlo dentro de {time}.{credential}")
        }
        None => format!("{what}{credential}"),
    }
}

fn exceeded(account: &Account<'_>) -> String {
    let names = row(&account.violated, UNITS.and);
    match (account.violated.len(), account.retry_after) {
        (0, Some(_)) => "Ha habido demasiadas peticiones.".to_owned(),
        (0, None) => "Esta petición no está permitida.".to_owned(),
        (1, Some(_)) => format!("Se ha superado la cuota de la política {names}."),
        (_, Some(_)) => format!("Se han superado las cuotas de las políticas {names}."),
        (1, None) => format!("La política {names} no permite esta petición."),
        (_, None) => format!("Las políticas {names} no permiten esta petición."),
    }
}

fn impossible(account: &Account<'_>) -> String {
    match (account.limit, account.violated.as_slice()) {
        (Some(limit), [name]) => {
            format!(
                "Esta petición cuesta más que las {limit} unidades que admite la política {name}."
            )
        }
        _ => "Esta petición cuesta más de lo que admite su cuota.".to_owned(),
    }
}

fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::MissingPart { part, .. } => format!("A la petición le falta {part}."),
        Refusal::DuplicatePart { part } => format!("La petición tiene {part} más de una vez."),
        Refusal::UnreadableBody { expected } => {
            format!("El cuerpo no se puede leer como {expected}.")
        }
        Refusal::PlanRequired { plans } => match plans.as_slice() {
            [plan] => format!("Esta ruta requiere el plan {plan}."),
            plans => format!("Esta ruta requiere uno de los planes {}.", row(plans, "o")),
        },
        // Whoever writes queries reads the words of the GraphQL specification.
        #[cfg(feature = "graphql")]
        Refusal::GraphQl(fault) => super::sentence(&fault.to_string()),
        _ => "La petición se rechaza.".to_owned(),
    }
}
